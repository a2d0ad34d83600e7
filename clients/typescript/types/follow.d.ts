/** Whether the platform can read an answer while it arrives; React Native cannot. */
export function canStream(): boolean;
/**
 * Yields what the reader reads, until nothing can follow. Failures that may pass are waited out as
 * long as patience lasts; refusals reject.
 * @template Event
 * @param {Reader<Event>} reader
 * @param {boolean} streams Whether there can be any.
 * @param {ConnectionOptions & { after?: unknown }} options
 * @returns {AsyncGenerator<Event, void, void>}
 */
export function follow<Event>(reader: Reader<Event>, streams: boolean, options: ConnectionOptions & {
    after?: unknown;
}): AsyncGenerator<Event, void, void>;
/**
 * `live`: events arrive by a stream. `polling`: by long polls. `lost`: not at the moment.
 */
export type Connection = "live" | "polling" | "lost";
export type ConnectionOptions = {
    /**
     * When it aborts, the iteration rejects.
     */
    signal?: AbortSignal | undefined;
    /**
     * For how many milliseconds to go on while the service cannot be reached; for ever if not given.
     */
    patience?: number | undefined;
    /**
     * Called whenever the connection changes.
     */
    onConnection?: ((connection: Connection) => void) | undefined;
};
export type GameFollowOptions = {
    /**
     * The number of the last event that is known; 0 for none.
     */
    after?: number | undefined;
    /**
     * Whether to wait, after the end, for others to ask for a rematch; only players and hosts hear of it.
     */
    rematch?: boolean | undefined;
};
export type FeedFollowOptions = {
    /**
     * The `cursor` of the last event that is known, or `now`; the oldest event comes first if not given.
     */
    after?: string | undefined;
};
export type FollowOptions = ConnectionOptions & GameFollowOptions;
export type FollowFeedOptions = ConnectionOptions & FeedFollowOptions;
/**
 * Reads on from where it left off; returns true if nothing can follow.
 */
export type Read<Event> = (deadline: Deadline, alive: () => void) => AsyncGenerator<Event, boolean, void>;
export type Reader<Event> = StreamReader & {
    stream: Read<Event>;
    poll: Read<Event>;
};
import { Deadline } from "./pauses.js";
import type { StreamReader } from "./stream_reader.js";
