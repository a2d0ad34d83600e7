// Follows a log of events: by its stream, or by long polls where streams do not get through.

import { QwirkleError } from "./errors.js";
import { Deadline, abortReason, backoff, isOffline, jittered, onNetwork, sleep } from "./pauses.js";
import { noAnswer } from "./transport.js";

/** @import { StreamReader } from "./stream_reader.js" */

/**
 * `live`: events arrive by a stream. `polling`: by long polls. `lost`: not at the moment.
 * @typedef {"live" | "polling" | "lost"} Connection
 */

/**
 * @typedef {object} ConnectionOptions
 * @property {AbortSignal | undefined} [signal] When it aborts, the iteration rejects.
 * @property {number | undefined} [patience]
 *   For how many milliseconds to go on while the service cannot be reached; for ever if not given.
 * @property {((connection: Connection) => void) | undefined} [onConnection]
 *   Called whenever the connection changes.
 */

/**
 * @typedef {object} GameFollowOptions
 * @property {number | undefined} [after] The number of the last event that is known; 0 for none.
 * @property {boolean | undefined} [rematch]
 *   Whether to wait, after the end, for others to ask for a rematch; only players and hosts hear of it.
 */

/**
 * @typedef {object} FeedFollowOptions
 * @property {string | undefined} [after]
 *   The `cursor` of the last event that is known, or `now`; the oldest event comes first if not given.
 */

/** @typedef {ConnectionOptions & GameFollowOptions} FollowOptions */
/** @typedef {ConnectionOptions & FeedFollowOptions} FollowFeedOptions */

/**
 * Reads on from where it left off; returns true if nothing can follow.
 * @template Event
 * @typedef {(
 *   deadline: Deadline, alive: () => void
 * ) => AsyncGenerator<Event, boolean, void>} Read
 */

/**
 * @template Event
 * @typedef {StreamReader & { stream: Read<Event>, poll: Read<Event> }} Reader
 */

const POLLS_FOR_MS = 60_000; // then the stream gets another chance
const POLLS_AT_MOST_FOR_MS = 900_000;

/** Whether the platform can read an answer while it arrives; React Native cannot. */
export function canStream() {
  return typeof Response === "function" && "body" in Response.prototype;
}

/**
 * Yields what the reader reads, until nothing can follow. Failures that may pass are waited out as
 * long as patience lasts; refusals reject.
 * @template Event
 * @param {Reader<Event>} reader
 * @param {boolean} streams Whether there can be any.
 * @param {ConnectionOptions & { after?: unknown }} options
 * @returns {AsyncGenerator<Event, void, void>}
 */
export async function* follow(reader, streams, options) {
  const { after, signal, patience = Infinity, onConnection = () => {} } = options;
  const health = new Health(streams, onConnection);
  let known = Boolean(after);
  const alive = () => {
    known = true;
    health.works();
  };
  for (;;) {
    const deadline = new Deadline(signal);
    const unsubscribe = onNetwork("offline", deadline.abort);
    const method = health.choose();
    let pause;
    try {
      if (yield* reader[method](deadline, alive)) return;
      // A stream ends when its worker stops; then another takes over.
      pause = method === "stream" ? jittered(reader.reconnectAfter) : 0;
    } catch (reason) {
      if (signal?.aborted) throw abortReason(signal);
      if (reader.over) return; // nothing is missing but news of a rematch
      const error = reader.failure(reason instanceof QwirkleError ? reason : noAnswer(reason), known);
      pause = health.failed(error, deadline.expired);
      if (!error.transient || health.silence + pause > patience) throw error;
    } finally {
      unsubscribe();
      deadline.end();
    }
    if (pause) await sleep(pause, signal);
  }
}

/** Chooses between streams and polls by how they fare. */
class Health {
  #streams;
  #onConnection;
  #streamAt;
  #pollsFor = POLLS_FOR_MS;
  #failures = 0;
  #workedAt = Date.now();
  /** @type {"stream" | "poll"} */
  #method = "poll";
  /** @type {Connection | null} */
  #connection = null;

  /**
   * @param {boolean} streams Whether there can be any.
   * @param {(connection: Connection) => void} onConnection
   */
  constructor(streams, onConnection) {
    this.#streams = streams;
    this.#onConnection = onConnection;
    this.#streamAt = streams ? 0 : Infinity;
  }

  /** What to try next. */
  choose() {
    this.#method = Date.now() >= this.#streamAt ? "stream" : "poll";
    return this.#method;
  }

  /** For how many milliseconds nothing has arrived. */
  get silence() {
    return Date.now() - this.#workedAt;
  }

  /** Something has arrived. */
  works() {
    this.#failures = 0;
    this.#workedAt = Date.now();
    if (this.#method === "stream") this.#pollsFor = POLLS_FOR_MS;
    this.#tell(this.#method === "stream" ? "live" : "polling");
  }

  /**
   * Something has failed; returns how long to wait.
   * @param {QwirkleError} error
   * @param {boolean} silent Whether nothing came for too long.
   */
  failed(error, silent) {
    this.#failures += 1;
    if (isOffline()) {
      this.#streamAt = this.#streams ? 0 : Infinity;
    } else if (this.#method === "stream") {
      // Polls did better, or may: something on the way seems to hold back or cut streams.
      const suspicious = silent || this.#connection === "polling" || this.#failures > 1;
      if (suspicious) this.#poll();
    }
    if (isOffline() || this.#failures > 2) this.#tell("lost");
    return Math.max(error.retryAfter ?? 0, backoff(this.#failures));
  }

  #poll() {
    this.#streamAt = Date.now() + this.#pollsFor;
    this.#pollsFor = Math.min(this.#pollsFor * 2, POLLS_AT_MOST_FOR_MS);
  }

  /** @param {Connection} connection */
  #tell(connection) {
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#onConnection(connection);
  }
}
