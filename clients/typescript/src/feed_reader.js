// Reads the feed of a tenant from where it left off: by one stream, or by one poll.

import { parseJson, readJson } from "./bodies.js";
import { UnexpectedAnswer } from "./errors.js";
import { PAGE, PAGE_TIMEOUT_MS, SHORTEST_WAIT_MS, WAIT_SECONDS } from "./log_reader.js";
import { jittered, sleep } from "./pauses.js";
import { withQuery } from "./requests.js";
import { isId, isObject } from "./shapes.js";
import { StreamReader } from "./stream_reader.js";

/** @import { Message } from "./event_parser.js" */
/** @import { Deadline } from "./pauses.js" */
/** @import { Transport } from "./transport.js" */
/** @import { Answer, FollowedFeedEvent } from "../types/contract.d.ts" */
/** @typedef {AsyncGenerator<FollowedFeedEvent, boolean, void>} FeedReading */

const PATH = "/v1/events";
const NOW = "now";

/**
 * @param {unknown} cursor
 * @returns {string}
 */
function checkedCursor(cursor) {
  if (typeof cursor !== "string" || !isId(cursor)) {
    throw new UnexpectedAnswer("The feed does not say where to go on");
  }
  return cursor;
}

export class FeedReader extends StreamReader {
  #transport;
  #key;
  /** @type {string | undefined} */
  #cursor;

  /**
   * @param {Transport} transport
   * @param {{ readonly apiKey: string | null }} key
   * @param {string | undefined} after
   */
  constructor(transport, key, after) {
    super();
    this.#transport = transport;
    this.#key = key;
    this.#cursor = after;
  }

  /**
   * Reads a stream until it ends.
   * @param {Deadline} deadline
   * @param {() => void} alive Called whenever a message or a heartbeat arrives.
   * @returns {FeedReading}
   */
  async *stream(deadline, alive) {
    // A stream that breaks off before its first event must be resumed from here.
    if (this.#cursor === NOW) this.#cursor = (await this.#page(deadline, 1)).last;
    const path = withQuery(`${PATH}/stream`, { after: this.#cursor });
    const body = await this.open(this.#transport, { path, token: this.#key.apiKey }, deadline);
    if (body === null) throw new UnexpectedAnswer("The answer is not a stream of events");
    yield* this.messages(body, deadline, alive, (message) => this.#receive(message));
    return false;
  }

  /**
   * Reads what there is; if there is nothing new, waits until there is.
   * @param {Deadline} deadline
   * @param {() => void} alive Called when an answer arrives.
   * @returns {FeedReading}
   */
  async *poll(deadline, alive) {
    const began = Date.now();
    const { events, last, resync } = await this.#page(deadline, PAGE, WAIT_SECONDS);
    alive();
    for (const event of events) yield this.#seen(event);
    this.#cursor = last;
    if (resync) yield { type: "resync", last };
    // A worker that stops answers early. Nothing else should, but it must not become a storm.
    else if (!events.length && Date.now() - began < SHORTEST_WAIT_MS) {
      await sleep(jittered(SHORTEST_WAIT_MS), deadline.signal);
    }
    return false;
  }

  /**
   * @param {Message} message
   * @returns {FollowedFeedEvent}
   */
  #receive(message) {
    const data = parseJson(message.data);
    if (message.event !== "resync") return this.#seen(data);
    this.#cursor = checkedCursor(isObject(data) ? data.last : null);
    return { type: "resync", last: this.#cursor };
  }

  /**
   * @param {any} event
   * @returns {FollowedFeedEvent}
   */
  #seen(event) {
    if (!isObject(event) || typeof event.type !== "string") {
      throw new UnexpectedAnswer("The feed has something else than an event");
    }
    this.#cursor = checkedCursor(event.cursor);
    return /** @type {any} */ (event);
  }

  /**
   * @param {Deadline} deadline
   * @param {number} limit
   * @param {number} [wait] Seconds.
   * @returns {Promise<Answer<"getFeed">>}
   */
  async #page({ signal }, limit, wait = 0) {
    const path = withQuery(PATH, { after: this.#cursor, limit, wait });
    const request = { method: "GET", path, token: this.#key.apiKey };
    const options = { signal, patience: 0, timeout: PAGE_TIMEOUT_MS + wait * 1000 };
    const page = (await this.#transport.send(request, readJson, options)).content;
    if (!Array.isArray(page.events) || typeof page.resync !== "boolean") {
      throw new UnexpectedAnswer("The answer is not a page of the feed");
    }
    checkedCursor(page.last);
    return page;
  }
}
