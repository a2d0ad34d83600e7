export class StreamReader {
    /** How long the service wants a client to wait before it opens another stream. */
    reconnectAfter: number;
    /** Whether the last event has been read. */
    over: boolean;
    /**
     * The error to report for this one; `known` says whether anything was read before.
     * @param {QwirkleError} error
     * @param {boolean} _known
     * @returns {QwirkleError}
     */
    failure(error: QwirkleError, _known: boolean): QwirkleError;
    /**
     * Opens a stream; null if there is nothing more to read.
     * @param {Transport} transport
     * @param {{ path: string, token: string | null, headers?: Record<string, string> }} request
     * @param {Deadline} deadline
     */
    open(transport: Transport, { path, token, headers }: {
        path: string;
        token: string | null;
        headers?: Record<string, string>;
    }, deadline: Deadline): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null>;
    /**
     * What `receive` makes of the messages of a stream, until it ends.
     * @template Event
     * @param {ReadableStream<Uint8Array>} body
     * @param {Deadline} deadline
     * @param {() => void} alive Called whenever a message or a heartbeat arrives.
     * @param {(message: Message) => Event} receive
     * @returns {AsyncGenerator<Event, void, void>}
     */
    messages<Event>(body: ReadableStream<Uint8Array>, deadline: Deadline, alive: () => void, receive: (message: Message) => Event): AsyncGenerator<Event, void, void>;
    #private;
}
import type { QwirkleError } from "./errors.js";
import type { Transport } from "./transport.js";
import type { Deadline } from "./pauses.js";
import type { Message } from "./event_parser.js";
