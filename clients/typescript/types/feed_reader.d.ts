export class FeedReader extends StreamReader {
    /**
     * @param {Transport} transport
     * @param {{ readonly apiKey: string | null }} key
     * @param {string | undefined} after
     */
    constructor(transport: Transport, key: {
        readonly apiKey: string | null;
    }, after: string | undefined);
    /**
     * Reads a stream until it ends.
     * @param {Deadline} deadline
     * @param {() => void} alive Called whenever a message or a heartbeat arrives.
     * @returns {FeedReading}
     */
    stream(deadline: Deadline, alive: () => void): FeedReading;
    /**
     * Reads what there is; if there is nothing new, waits until there is.
     * @param {Deadline} deadline
     * @param {() => void} alive Called when an answer arrives.
     * @returns {FeedReading}
     */
    poll(deadline: Deadline, alive: () => void): FeedReading;
    #private;
}
export type FeedReading = AsyncGenerator<FollowedFeedEvent, boolean, void>;
import { StreamReader } from "./stream_reader.js";
import type { Deadline } from "./pauses.js";
import type { Transport } from "./transport.js";
import type { FollowedFeedEvent } from "../types/contract.d.ts";
