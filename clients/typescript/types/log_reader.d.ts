export class LogReader {
    /**
     * @param {Transport} transport
     * @param {Log} log
     * @param {number} after
     * @param {boolean} rematch Whether a stream is read on after the last event.
     */
    constructor(transport: Transport, log: Log, after: number, rematch: boolean);
    /** How long the service wants a client to wait before it opens another stream. */
    reconnectAfter: number;
    /** Whether the last event of the game has been read. */
    over: boolean;
    /**
     * Reads a stream until it ends.
     * @param {Deadline} deadline
     * @param {() => void} alive Called whenever a message or a heartbeat arrives.
     * @returns {Reading}
     */
    stream(deadline: Deadline, alive: () => void): Reading;
    /**
     * Reads what there is; if there is nothing new, waits until there is.
     * @param {Deadline} deadline
     * @param {() => void} alive Called when an answer arrives.
     * @returns {Reading}
     */
    poll(deadline: Deadline, alive: () => void): Reading;
    #private;
}
export type Log = {
    path: string;
    readonly token: string | null;
};
/**
 * True if nothing can follow.
 */
export type Reading = AsyncGenerator<FollowedEvent, boolean, void>;
import type { Deadline } from "./pauses.js";
import type { Transport } from "./transport.js";
import type { FollowedEvent } from "../types/contract.d.ts";
