export class EventParser {
    /** The pause before a reconnection, if the stream asks for one. @type {number | null} */
    retry: number | null;
    /** How many comments and pauses have come: signs of life that are not messages. */
    signs: number;
    /**
     * The messages that this piece of the stream completes.
     * @param {string} text
     * @returns {Message[]}
     */
    push(text: string): Message[];
    #private;
}
export type Message = {
    id: string | null;
    event: string;
    data: string;
};
