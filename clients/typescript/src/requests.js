// The kinds of requests: reads, questions, and actions that take effect once.

import { readJson } from "./bodies.js";

/** @import { Outbox, PendingAction } from "./outbox.js" */
/** @import { SendOptions, Transport } from "./transport.js" */

/**
 * @typedef {object} Matching
 * @property {string | undefined} [ifMatch]
 *   An ETag: the request is refused (412) if the game has changed since.
 */

/**
 * @typedef {object} Keyed
 * @property {string | undefined} [idempotencyKey] Your own key; otherwise every call makes one.
 */

/** @typedef {SendOptions & Matching & Keyed} ActionOptions */

const LONGEST_ENTROPY = 64;

export class Requests {
  #newKey;
  #outbox;

  /**
   * @param {Transport} transport
   * @param {{ apiKey: string | null, newKey: () => string, outbox: Outbox | null }} settings
   */
  constructor(transport, { apiKey, newKey, outbox }) {
    this.transport = transport;
    this.apiKey = apiKey;
    this.#newKey = newKey;
    this.#outbox = outbox;
  }

  /**
   * A read.
   * @template [T=any]
   * @param {string} path
   * @param {string | null} token
   * @param {SendOptions} [options]
   * @param {(response: Response) => Promise<T>} [read]
   * @returns {Promise<T>}
   */
  async get(path, token, options, read = readJson) {
    return (await this.transport.send({ method: "GET", path, token }, read, options)).content;
  }

  /**
   * A question with a body; it changes nothing.
   * @param {string} path
   * @param {unknown} body
   * @param {string | null} token
   * @param {SendOptions} [options]
   */
  async ask(path, body, token, options) {
    const request = { method: "POST", path, token, body: JSON.stringify(body) };
    return (await this.transport.send(request, readJson, options)).content;
  }

  /**
   * What to add to the draws of a game, if the caller leaves it open: a random text, but nothing
   * under a key of the caller's, since that would have to be sent again with the same text.
   * @param {string | null | undefined} entropy
   * @param {ActionOptions} [options]
   */
  entropy(entropy, options) {
    if (entropy !== undefined) return entropy;
    return options?.idempotencyKey === undefined ? this.#newKey().slice(0, LONGEST_ENTROPY) : null;
  }

  /**
   * An action: it takes effect once, however often it is sent.
   * @param {string} path
   * @param {unknown} body
   * @param {{ token?: string | null, apiKey?: boolean, method?: string }} as
   * @param {ActionOptions} [options]
   */
  act(path, body, { token = null, apiKey = false, method = "POST" }, options = {}) {
    const { idempotencyKey, ifMatch = null, ...how } = options;
    const key = idempotencyKey ?? this.#newKey();
    const content = JSON.stringify(body);
    const at = Date.now();
    return this.deliver({ key, method, path, body: content, token, apiKey, ifMatch, at }, how);
  }

  /**
   * Sends an action, perhaps not for the first time.
   * @param {PendingAction} action
   * @param {SendOptions} [options]
   */
  deliver(action, options) {
    const { key, method, path, body, ifMatch } = action;
    const token = action.apiKey ? this.apiKey : action.token;
    const headers = { "Idempotency-Key": key, ...(ifMatch === null ? {} : { "If-Match": ifMatch }) };
    const request = { method, path, body, token, headers };
    const read = method === "DELETE" ? async () => null : readJson;
    const send = () => this.transport.send(request, read, options);
    return this.#outbox ? this.#outbox.deliver(action, send) : send();
  }
}

/**
 * A path with a query; members without a value are left out.
 * @param {string} path
 * @param {object} [members]
 */
export function withQuery(path, members = {}) {
  const parts = Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return parts.length ? `${path}?${parts.join("&")}` : path;
}
