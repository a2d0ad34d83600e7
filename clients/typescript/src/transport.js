// Sends requests: one attempt, or as many as patience allows.

import { parseJson, readText } from "./bodies.js";
import { NoAnswer, QwirkleError, problemError } from "./errors.js";
import { Deadline, abortReason, backoff, sleep } from "./pauses.js";
import { isObject, isToken } from "./shapes.js";

const TIMEOUT_MS = 30_000;
const PATIENCE_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 86_400_000; // a longer wait is a mistake of the other side
const SHORTEST_SECRET = 16; // a shorter API key is not secret, and could be part of a code

// Hands do not belong on a disk. React Native keeps none anyway, and would change the query.
/** @type {RequestInit} */
const CACHING = globalThis.navigator?.product === "ReactNative" ? {} : { cache: "no-store" };

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {string} path From `/v1/...` on.
 * @property {string | undefined} [body] As JSON.
 * @property {string | null} [token]
 * @property {Record<string, string>} [headers] Further headers.
 */

/** @template T @typedef {{ status: number, headers: Headers, content: T }} Answer */

/**
 * @typedef {object} SendOptions
 * @property {AbortSignal | undefined} [signal] When it aborts, the call rejects.
 * @property {number | undefined} [timeout] Milliseconds for each attempt; 30,000 if not given.
 * @property {number | undefined} [patience]
 *   Milliseconds for all attempts; 30,000 if not given. 0 means one attempt, Infinity no end.
 */

/**
 * @typedef {object} TransportOptions
 * @property {typeof globalThis.fetch | undefined} [fetch] Instead of the platform's own.
 * @property {Record<string, string> | undefined} [headers]
 *   Sent with every request, e.g. `{ "Accept-Language": "de" }`.
 * @property {number | undefined} [timeout] Milliseconds for each attempt; 30,000 if not given.
 * @property {number | undefined} [patience] Milliseconds for all attempts; 30,000 if not given.
 * @property {((error: QwirkleError, request: { method: string, path: string }) => void) | undefined} [onRetry]
 *   Called after each failure that leads to another attempt.
 */

export class Transport {
  #fetch;
  #clockOffset = 0;

  /**
   * @param {string} baseUrl
   * @param {TransportOptions} options
   */
  constructor(baseUrl, options) {
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.headers = options.headers ?? {};
    this.timeout = options.timeout ?? TIMEOUT_MS;
    this.patience = options.patience ?? PATIENCE_MS;
    this.onRetry = options.onRetry;
    // Browsers refuse to call their own as a method of another object.
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** The time by the service's clock, as far as its answers have told. */
  now() {
    return Date.now() + this.#clockOffset;
  }

  /**
   * Sends a request until the service answers it, which must be harmless. Rejects if the service
   * refuses, and with the last failure when patience is over.
   * @template T
   * @param {Request} request
   * @param {(response: Response) => Promise<T>} read
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<T>>}
   */
  async send(request, read, { signal, timeout = this.timeout, patience = this.patience } = {}) {
    const began = Date.now();
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#attempt(request, read, timeout, signal);
      } catch (error) {
        if (!(error instanceof QwirkleError)) throw error;
        error.attempts = attempts;
        if (!error.transient) throw error;
        const pause = Math.max(error.retryAfter ?? 0, backoff(attempts));
        if (Date.now() - began + pause > patience) throw error;
        this.onRetry?.(error, request);
        await sleep(pause, signal);
      }
    }
  }

  /**
   * @template T
   * @param {Request} request
   * @param {(response: Response) => Promise<T>} read
   * @param {number} timeout
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Answer<T>>}
   */
  async #attempt(request, read, timeout, signal) {
    const deadline = new Deadline(signal);
    deadline.set(timeout);
    try {
      const response = await this.open(request, deadline.signal);
      const content = await read(response);
      return { status: response.status, headers: response.headers, content };
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      throw error instanceof QwirkleError ? error : noAnswer(error);
    } finally {
      deadline.end();
    }
  }

  /**
   * Sends a request once; the body of the answer is left to be read.
   * @param {Request} request
   * @param {AbortSignal} signal
   * @returns {Promise<Response>}
   */
  async open({ method, path, body, token, headers }, signal) {
    const response = await this.#fetch(this.baseUrl + path, {
      method,
      signal,
      ...CACHING,
      credentials: "omit",
      ...(body === undefined ? {} : { body }),
      headers: {
        ...this.headers,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(token ? { Authorization: bearer(token) } : {}),
        ...headers,
      },
    });
    this.#setClock(response);
    if (response.ok || response.status === 304) return response;
    throw await readProblem(response, token ?? "");
  }

  /** @param {Response} response */
  #setClock(response) {
    const date = Date.parse(response.headers.get("Date") ?? "");
    if (Number.isNaN(date)) return;
    // The header has whole seconds, so a small difference means nothing.
    const offset = date - Date.now();
    this.#clockOffset = Math.abs(offset) > 2000 ? offset : 0;
  }
}

/** @param {string} token */
function bearer(token) {
  // The platform's own complaint would show the token.
  if (!isToken(token)) throw new QwirkleError("The token contains a character that none has");
  return `Bearer ${token}`;
}

/**
 * The failure of a connection.
 * @param {unknown} cause
 */
export function noAnswer(cause) {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NoAnswer(`The service did not answer: ${reason}`, { cause });
}

/**
 * @param {Response} response
 * @param {string} token What was sent, which some proxies repeat.
 */
async function readProblem(response, token) {
  const retryAfter = readRetryAfter(response.headers.get("Retry-After"));
  const text = await readText(response);
  const document = parseJson(token.length < SHORTEST_SECRET ? text : text.split(token).join("[token]"));
  return problemError(response.status, isObject(document) ? document : {}, retryAfter);
}

/**
 * Milliseconds, from seconds or a date.
 * @param {string | null} value
 */
function readRetryAfter(value) {
  if (value === null) return null;
  const seconds = Number(value);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  if (Number.isNaN(milliseconds)) return null;
  return Math.min(Math.max(0, milliseconds), LONGEST_RETRY_AFTER_MS);
}
