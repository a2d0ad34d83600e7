export class LogReader {
    /**
     * @param {Transport} transport
     * @param {Log} log
     * @param {number} after
     */
    constructor(transport: Transport, log: Log, after: number);
    /** How long the service wants a client to wait before it opens another stream. */
    reconnectAfter: number;
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
