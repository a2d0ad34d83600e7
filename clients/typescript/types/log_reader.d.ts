/** @import { QwirkleError } from "./errors.js" */
/** @import { Message } from "./event_parser.js" */
/** @import { Deadline } from "./pauses.js" */
/** @import { Transport } from "./transport.js" */
/** @import { Answer, FollowedEvent } from "../types/contract.d.ts" */
/** @typedef {{ path: string, readonly token: string | null }} Log */
/** @typedef {AsyncGenerator<FollowedEvent, boolean, void>} Reading True if nothing can follow. */
export const PAGE: 1000;
export const WAIT_SECONDS: 25;
export const PAGE_TIMEOUT_MS: 15000;
export const SHORTEST_WAIT_MS: 1000;
export class LogReader extends StreamReader {
    /**
     * @param {Transport} transport
     * @param {Log} log
     * @param {number} after
     * @param {boolean} rematch Whether a stream is read on after the last event.
     */
    constructor(transport: Transport, log: Log, after: number, rematch: boolean);
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
import { StreamReader } from "./stream_reader.js";
import type { Deadline } from "./pauses.js";
import type { Transport } from "./transport.js";
import type { FollowedEvent } from "../types/contract.d.ts";
