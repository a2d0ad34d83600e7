// Reads a log of events from where it left off: by one stream, or by one round of polls.

import { parseJson, readJson } from "./bodies.js";
import { GameDeleted, UnexpectedAnswer } from "./errors.js";
import { jittered, sleep } from "./pauses.js";
import { checkEvent, checkedPage, isId, isNumber, isObject } from "./shapes.js";
import { StreamReader } from "./stream_reader.js";

/** @import { QwirkleError } from "./errors.js" */
/** @import { Message } from "./event_parser.js" */
/** @import { Deadline } from "./pauses.js" */
/** @import { Transport } from "./transport.js" */
/** @import { Answer, FollowedEvent } from "../types/contract.d.ts" */
/** @typedef {{ path: string, readonly token: string | null }} Log */
/** @typedef {AsyncGenerator<FollowedEvent, boolean, void>} Reading True if nothing can follow. */

export const PAGE = 1000;
export const WAIT_SECONDS = 25;
export const PAGE_TIMEOUT_MS = 15_000;
export const SHORTEST_WAIT_MS = 1000;

/** @param {FollowedEvent} event */
const isLast = (event) => "end" in event && event.end !== null;

export class LogReader extends StreamReader {
  #transport;
  #log;
  #rematch;
  /** The event read last. @type {{ n: number, id: string | null }} */
  #cursor;

  /**
   * @param {Transport} transport
   * @param {Log} log
   * @param {number} after
   * @param {boolean} rematch Whether a stream is read on after the last event.
   */
  constructor(transport, log, after, rematch) {
    super();
    this.#transport = transport;
    this.#log = log;
    this.#rematch = rematch;
    this.#cursor = { n: after, id: null };
  }

  /**
   * Who asks for a game that was there before is told that it was deleted.
   * @param {QwirkleError} error
   * @param {boolean} known
   */
  failure(error, known) {
    return known && error.status === 404 ? new GameDeleted("The game was deleted") : error;
  }

  /**
   * Reads a stream until it ends.
   * @param {Deadline} deadline
   * @param {() => void} alive Called whenever a message or a heartbeat arrives.
   * @returns {Reading}
   */
  async *stream(deadline, alive) {
    const { n, id } = this.#cursor;
    const path = `${this.#log.path}/stream${id === null ? `?after=${n}` : ""}`;
    /** @type {Record<string, string>} */
    const headers = id === null ? {} : { "Last-Event-ID": id };
    const request = { path, token: this.#log.token, headers };
    const body = await this.open(this.#transport, request, deadline);
    if (body === null) return true;
    const receive = (/** @type {Message} */ message) => this.#receive(message);
    for await (const event of this.messages(body, deadline, alive, receive)) {
      yield event;
      this.over ||= isLast(event);
      if (this.over && !this.#rematch) return true;
    }
    return this.over;
  }

  /**
   * @param {Message} message
   * @returns {FollowedEvent}
   */
  #receive(message) {
    if (message.event === "deleted") throw new GameDeleted("The game was deleted");
    const data = parseJson(message.data);
    if (!isObject(data)) {
      throw new UnexpectedAnswer("A message of the stream is not a JSON object");
    }
    /** @type {any} */
    const event = { type: message.event, ...data };
    if (message.event === "resync") {
      if (!isNumber(event.last) || !(message.id === null || isId(message.id))) {
        throw new UnexpectedAnswer("A resync does not say where to go on");
      }
      this.#cursor = { n: event.last, id: message.id };
    } else if ("n" in event) {
      checkEvent(event, this.#cursor.n);
      this.#cursor = { n: event.n, id: event.id };
    } // other messages are not part of the log
    return event;
  }

  /**
   * Reads what there is; if there is nothing new, waits until there is.
   * @param {Deadline} deadline
   * @param {() => void} alive Called when an answer arrives.
   * @returns {Reading}
   */
  async *poll(deadline, alive) {
    const { n, id } = this.#cursor;
    // The event read last is read again: if it is another one now, the store has lost events.
    const { events, last } = await this.#page(Math.max(n - 1, 0), deadline);
    alive();
    if (n > 0) {
      const known = events.shift();
      if (!known || (id !== null && known.id !== id)) {
        this.#cursor = { n: last, id: null };
        yield { type: "resync", last };
        return false;
      }
      this.#cursor = { n, id: known.id };
      if (isLast(known)) return true;
    }
    for (const event of events) {
      this.#cursor = { n: event.n, id: event.id };
      yield event;
      if (isLast(event)) return true;
    }
    if (this.#cursor.n >= last) await this.#wait(deadline, alive);
    return false;
  }

  /**
   * Waits for another event, without reading it.
   * @param {Deadline} deadline
   * @param {() => void} alive
   */
  async #wait(deadline, alive) {
    const began = Date.now();
    const { events } = await this.#page(this.#cursor.n, deadline, WAIT_SECONDS);
    alive();
    // A worker that stops answers early. Nothing else should, but it must not become a storm.
    if (!events.length && Date.now() - began < SHORTEST_WAIT_MS) {
      await sleep(jittered(SHORTEST_WAIT_MS), deadline.signal);
    }
  }

  /**
   * @param {number} after
   * @param {Deadline} deadline
   * @param {number} [wait] Seconds.
   * @returns {Promise<Answer<"getEvents">>}
   */
  async #page(after, { signal }, wait = 0) {
    const path = `${this.#log.path}?after=${after}&limit=${wait ? 1 : PAGE}&wait=${wait}`;
    const request = { method: "GET", path, token: this.#log.token };
    const options = { signal, patience: 0, timeout: PAGE_TIMEOUT_MS + wait * 1000 };
    return checkedPage((await this.#transport.send(request, readJson, options)).content, after);
  }
}
