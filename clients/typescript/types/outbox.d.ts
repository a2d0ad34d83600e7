export class Outbox {
    /**
     * @param {Storage} storage
     * @param {OutboxOptions} [options]
     */
    constructor(storage: Storage, { name, onAnswer }?: OutboxOptions);
    /**
     * The actions without an answer, oldest first.
     * @returns {Promise<PendingAction[]>}
     */
    pending(): Promise<PendingAction[]>;
    /**
     * Keeps an action while it is sent; one that is being sent already is not sent twice.
     * @template {{ content: any }} T
     * @param {PendingAction} action
     * @param {() => Promise<T>} send
     * @returns {Promise<T>}
     */
    deliver<T extends {
        content: any;
    }>(action: PendingAction, send: () => Promise<T>): Promise<T>;
    #private;
}
/**
 * `localStorage`, or React Native's AsyncStorage.
 */
export type Storage = {
    getItem: (name: string) => string | null | Promise<string | null>;
    setItem: (name: string, value: string) => unknown;
};
/**
 * An action that is kept. It holds the game's token, but never the API key.
 */
export type PendingAction = {
    /**
     * The idempotency key.
     */
    key: string;
    method: string;
    path: string;
    /**
     * As JSON.
     */
    body: string;
    /**
     * The game's token.
     */
    token: string | null;
    /**
     * Whether it is sent with the client's API key.
     */
    apiKey: boolean;
    /**
     * The ETag that the game must have.
     */
    ifMatch: string | null;
    /**
     * When it was first sent, in milliseconds.
     */
    at: number;
};
export type OutboxOptions = {
    /**
     * The name in the storage.
     */
    name?: string;
    /**
     * Called, and awaited, before an answered action is removed: the place to save new tokens.
     */
    onAnswer?: (answer: any, action: PendingAction) => unknown;
};
