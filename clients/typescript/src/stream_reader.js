// Reads a stream of events, whatever the events are about.

import { NoAnswer, UnexpectedAnswer } from "./errors.js";
import { EventParser } from "./event_parser.js";

/** @import { QwirkleError } from "./errors.js" */
/** @import { Message } from "./event_parser.js" */
/** @import { Deadline } from "./pauses.js" */
/** @import { Transport } from "./transport.js" */

const FIRST_MESSAGE_MS = 8000; // a stream starts at once, unless a proxy holds it back
const SILENCE_MS = 40_000; // the service sends something every 15 seconds
const SHORTEST_RECONNECT_MS = 200;
const LONGEST_RECONNECT_MS = 30_000;

export class StreamReader {
  /** How long the service wants a client to wait before it opens another stream. */
  reconnectAfter = 2000;
  /** Whether the last event has been read. */
  over = false;

  /**
   * The error to report for this one; `known` says whether anything was read before.
   * @param {QwirkleError} error
   * @param {boolean} _known
   * @returns {QwirkleError}
   */
  failure(error, _known) {
    return error;
  }

  /**
   * Opens a stream; null if there is nothing more to read.
   * @param {Transport} transport
   * @param {{ path: string, token: string | null, headers?: Record<string, string> }} request
   * @param {Deadline} deadline
   */
  async open(transport, { path, token, headers = {} }, deadline) {
    deadline.set(FIRST_MESSAGE_MS);
    const request = { method: "GET", path, token, headers };
    const response = await transport.open(request, deadline.signal);
    if (response.status === 204) return null;
    const type = response.headers.get("Content-Type") ?? "";
    if (!type.startsWith("text/event-stream") || !response.body) {
      throw new UnexpectedAnswer("The answer is not a stream of events");
    }
    return response.body;
  }

  /**
   * What `receive` makes of the messages of a stream, until it ends.
   * @template Event
   * @param {ReadableStream<Uint8Array>} body
   * @param {Deadline} deadline
   * @param {() => void} alive Called whenever a message or a heartbeat arrives.
   * @param {(message: Message) => Event} receive
   * @returns {AsyncGenerator<Event, void, void>}
   */
  async *messages(body, deadline, alive, receive) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (let began = false; ; ) {
      const { done, value } = await reader.read();
      if (done && !began) throw new NoAnswer("The stream ended before it began");
      if (done) return;
      const { signs } = parser;
      const messages = parser.push(decoder.decode(value, { stream: true }));
      if (!messages.length && parser.signs === signs) continue;
      // The service's next message is limited in time, the use that is made of this one is not.
      deadline.clear();
      began = true;
      this.#setReconnect(parser.retry);
      if (parser.signs > signs) alive();
      for (const message of messages) {
        const event = receive(message);
        alive();
        yield event;
      }
      deadline.set(SILENCE_MS);
    }
  }

  /** @param {number | null} retry */
  #setReconnect(retry) {
    if (retry === null) return;
    this.reconnectAfter = Math.min(Math.max(retry, SHORTEST_RECONNECT_MS), LONGEST_RECONNECT_MS);
  }
}
