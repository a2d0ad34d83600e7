// Waiting: for a while, for an answer, for the network.

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/**
 * Half of it to all of it, at random, so that many clients do not come back together.
 * @param {number} milliseconds
 */
export function jittered(milliseconds) {
  return milliseconds * (0.5 + Math.random() / 2);
}

/**
 * The pause after so many failures in a row: nothing to all of a time that doubles, at random.
 * @param {number} failures
 */
export function backoff(failures) {
  return Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}

/** Whether the browser says that there is no network; other platforms do not say. */
export function isOffline() {
  return globalThis.navigator?.onLine === false;
}

/**
 * Calls the listener when the browser says so; returns how to stop that.
 * @param {"online" | "offline"} what
 * @param {() => void} listener
 */
export function onNetwork(what, listener) {
  if (typeof globalThis.addEventListener !== "function") return () => {};
  globalThis.addEventListener(what, listener);
  return () => globalThis.removeEventListener(what, listener);
}

/**
 * What an aborted signal rejects with; not every platform has its `reason`.
 * @param {AbortSignal} signal
 */
export function abortReason(signal) {
  if (signal.reason !== undefined) return signal.reason;
  return Object.assign(new Error("This operation was aborted"), { name: "AbortError" });
}

/**
 * Waits, at most until the network is back; rejects when the signal aborts.
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const timer = setTimeout(done, milliseconds);
    const unsubscribe = onNetwork("online", done);
    signal?.addEventListener("abort", done);
    function done() {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener("abort", done);
      if (signal?.aborted) reject(abortReason(signal));
      else resolve();
    }
  });
}

/** A signal that aborts with the caller's, or when a time limit is exceeded. */
export class Deadline {
  /** Whether a time limit was exceeded. */
  expired = false;

  #controller = new AbortController();
  /** @type {AbortSignal | undefined} */
  #outer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {AbortSignal | undefined} outer */
  constructor(outer) {
    this.#outer = outer;
    outer?.addEventListener("abort", this.abort);
    if (outer?.aborted) this.abort();
  }

  get signal() {
    return this.#controller.signal;
  }

  /** Aborts now. */
  abort = () => this.#controller.abort();

  /**
   * Aborts after this time, unless it is set again.
   * @param {number} milliseconds
   */
  set(milliseconds) {
    this.clear();
    this.#timer = setTimeout(() => {
      this.expired = true;
      this.abort();
    }, milliseconds);
  }

  /** Sets no time limit. */
  clear() {
    clearTimeout(this.#timer);
  }

  /** Ends what still uses the signal, and forgets the caller's. */
  end() {
    this.clear();
    this.#outer?.removeEventListener("abort", this.abort);
    this.abort();
  }
}
