// The format of `text/event-stream`, as the HTML standard defines it.

/** @typedef {{ id: string | null, event: string, data: string }} Message */

export class EventParser {
  #rest = "";
  #id = /** @type {string | null} */ (null);
  #event = "";
  #data = /** @type {string[]} */ ([]);

  /** The pause before a reconnection, if the stream asks for one. @type {number | null} */
  retry = null;

  /**
   * The messages that this piece of the stream completes.
   * @param {string} text
   * @returns {Message[]}
   */
  push(text) {
    const messages = [];
    // A line feed that ends a piece may be missing from a pair: "\r" waits for what follows it.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") this.#field(line);
      else if (this.#data.length) messages.push(this.#message());
      else this.#event = "";
    }
    return messages;
  }

  /** @param {string} line */
  #field(line) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }

  #message() {
    const message = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    this.#event = "";
    this.#data = [];
    return message;
  }
}
