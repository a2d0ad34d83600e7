/** Whether the platform can read an answer while it arrives; React Native cannot. */
export function canStream(): boolean;
/**
 * Yields every event after `after` once, and `resync` where the log was rolled back; ends with the
 * game. Failures that may pass are waited out as long as patience lasts; refusals reject.
 * @param {Transport} transport
 * @param {Log & { streams: boolean }} log
 * @param {FollowOptions} [options]
 * @returns {AsyncGenerator<FollowedEvent, void, void>}
 */
export function follow(transport: Transport, log: Log & {
    streams: boolean;
}, options?: FollowOptions): AsyncGenerator<FollowedEvent, void, void>;
/**
 * `live`: events arrive by a stream. `polling`: by long polls. `lost`: not at the moment.
 */
export type Connection = "live" | "polling" | "lost";
export type FollowOptions = {
    /**
     * The number of the last event that is known; 0 for none.
     */
    after?: number | undefined;
    /**
     * When it aborts, the iteration rejects.
     */
    signal?: AbortSignal | undefined;
    /**
     * For how many milliseconds to go on while the service cannot be reached; for ever if not given.
     */
    patience?: number | undefined;
    /**
     * Whether to wait, after the end, for others to ask for a rematch; only players and hosts hear of it.
     */
    rematch?: boolean | undefined;
    /**
     * Called whenever the connection changes.
     */
    onConnection?: ((connection: Connection) => void) | undefined;
};
import type { Transport } from "./transport.js";
import type { Log } from "./log_reader.js";
import type { FollowedEvent } from "../types/contract.d.ts";
