/**
 * The failure of a connection.
 * @param {unknown} cause
 */
export function noAnswer(cause: unknown): NoAnswer;
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
    /**
     * @param {string} baseUrl
     * @param {TransportOptions} options
     */
    constructor(baseUrl: string, options: TransportOptions);
    baseUrl: string;
    headers: Record<string, string>;
    timeout: number;
    patience: number;
    onRetry: ((error: QwirkleError, request: {
        method: string;
        path: string;
    }) => void) | undefined;
    /** The time by the service's clock, as far as its answers have told. */
    now(): number;
    /**
     * Sends a request until the service answers it, which must be harmless. Rejects if the service
     * refuses, and with the last failure when patience is over.
     * @template T
     * @param {Request} request
     * @param {(response: Response) => Promise<T>} read
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<T>>}
     */
    send<T>(request: Request, read: (response: Response) => Promise<T>, { signal, timeout, patience }?: SendOptions): Promise<Answer<T>>;
    /**
     * Sends a request once; the body of the answer is left to be read.
     * @param {Request} request
     * @param {AbortSignal} signal
     * @returns {Promise<Response>}
     */
    open({ method, path, body, token, headers }: Request, signal: AbortSignal): Promise<Response>;
    #private;
}
export type Request = {
    method: string;
    /**
     * From `/v1/...` on.
     */
    path: string;
    /**
     * As JSON.
     */
    body?: string | undefined;
    token?: string | null;
    /**
     * Further headers.
     */
    headers?: Record<string, string>;
};
export type Answer<T> = {
    status: number;
    headers: Headers;
    content: T;
};
export type SendOptions = {
    /**
     * When it aborts, the call rejects.
     */
    signal?: AbortSignal | undefined;
    /**
     * Milliseconds for each attempt; 30,000 if not given.
     */
    timeout?: number | undefined;
    /**
     * Milliseconds for all attempts; 30,000 if not given. 0 means one attempt, Infinity no end.
     */
    patience?: number | undefined;
};
export type TransportOptions = {
    /**
     * Instead of the platform's own.
     */
    fetch?: typeof globalThis.fetch | undefined;
    /**
     * Sent with every request, e.g. `{ "Accept-Language": "de" }`.
     */
    headers?: Record<string, string> | undefined;
    /**
     * Milliseconds for each attempt; 30,000 if not given.
     */
    timeout?: number | undefined;
    /**
     * Milliseconds for all attempts; 30,000 if not given.
     */
    patience?: number | undefined;
    /**
     * Called after each failure that leads to another attempt.
     */
    onRetry?: ((error: QwirkleError, request: {
        method: string;
        path: string;
    }) => void) | undefined;
};
import { NoAnswer } from "./errors.js";
import { QwirkleError } from "./errors.js";
