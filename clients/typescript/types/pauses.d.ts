/**
 * Half of it to all of it, at random, so that many clients do not come back together.
 * @param {number} milliseconds
 */
export function jittered(milliseconds: number): number;
/**
 * The pause after so many failures in a row: nothing to all of a time that doubles, at random.
 * @param {number} failures
 */
export function backoff(failures: number): number;
/** Whether the browser says that there is no network; other platforms do not say. */
export function isOffline(): boolean;
/**
 * Calls the listener when the browser says so; returns how to stop that.
 * @param {"online" | "offline"} what
 * @param {() => void} listener
 */
export function onNetwork(what: "online" | "offline", listener: () => void): () => void;
/**
 * What an aborted signal rejects with; not every platform has its `reason`.
 * @param {AbortSignal} signal
 */
export function abortReason(signal: AbortSignal): any;
/**
 * Waits, at most until the network is back; rejects when the signal aborts.
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
/** A signal that aborts with the caller's, or when a time limit is exceeded. */
export class Deadline {
    /** @param {AbortSignal | undefined} outer */
    constructor(outer: AbortSignal | undefined);
    /** Whether a time limit was exceeded. */
    expired: boolean;
    get signal(): AbortSignal;
    /** Aborts now. */
    abort: () => void;
    /**
     * Aborts after this time, unless it is set again.
     * @param {number} milliseconds
     */
    set(milliseconds: number): void;
    /** Sets no time limit. */
    clear(): void;
    /** Ends what still uses the signal, and forgets the caller's. */
    end(): void;
    #private;
}
