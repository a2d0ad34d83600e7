// The format of `text/event-stream`, as the HTML standard defines it.

import { UnexpectedAnswer } from "./errors.js";

/** @typedef {{ id: string | null, event: string, data: string }} Message */

/** The most characters of a message, with its names and comments. */
const LONGEST_MESSAGE = 2 ** 20;

export class EventParser {
  #line = "";
  #afterCr = false;
  #size = 0;
  #id = /** @type {string | null} */ (null);
  #event = "";
  #data = /** @type {string[]} */ ([]);

  /** The pause before a reconnection, if the stream asks for one. @type {number | null} */
  retry = null;
  /** How many comments and pauses have come: signs of life that are not messages. */
  signs = 0;

  /**
   * The messages that this piece of the stream completes.
   * @param {string} text
   * @returns {Message[]}
   */
  push(text) {
    if (!text) return [];
    // The halves of a "\r\n" may come in two pieces.
    const start = this.#afterCr && text[0] === "\n" ? 1 : 0;
    const [first = "", ...others] = text.slice(start).split(/\r\n|\n|\r/);
    this.#afterCr = text.endsWith("\r");
    const messages = [];
    this.#add(first);
    for (const part of others) {
      const line = this.#line;
      this.#line = "";
      if (line !== "") this.#field(line);
      else if (this.#data.length) messages.push(this.#message());
      else this.#reset();
      this.#add(part);
    }
    return messages;
  }

  /** @param {string} part Of a line, which may come in many. */
  #add(part) {
    this.#size += part.length;
    if (this.#size > LONGEST_MESSAGE) throw new UnexpectedAnswer("A message of the stream is too long");
    this.#line += part;
  }

  /** @param {string} line */
  #field(line) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
    else if (name === "") this.signs += 1;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) {
      this.signs += 1;
      this.retry = Number(value);
    }
  }

  #message() {
    const message = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    this.#reset();
    return message;
  }

  #reset() {
    this.#size = 0;
    this.#event = "";
    this.#data = [];
  }
}
