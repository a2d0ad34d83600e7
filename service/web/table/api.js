// A client of the public HTTP API.

import { language } from "./i18n.js";

const TIMEOUT_MS = 20_000;

/** A problem document (application/problem+json). */
export class Problem extends Error {
  constructor(document, status, retryAfter) {
    super(document.detail ?? `HTTP ${status}`);
    this.status = status;
    this.code = document.code ?? "";
    this.violations = document.violations ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The request failed or timed out without a response. */
export class NoResponse extends Error {}

let clockOffset = 0;

/** The service's clock, according to its last response. */
export function now() {
  return Date.now() + clockOffset;
}

function adjustClock(response) {
  const date = Date.parse(response.headers.get("Date"));
  // The Date header has whole seconds, so smaller differences mean nothing.
  if (date) clockOffset = Math.abs(date - Date.now()) > 2000 ? date - Date.now() : 0;
}

/** Sends a request; throws Problem or NoResponse. */
export async function request(path, { method = "GET", token, headers = {}, body, signal } = {}) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response;
  try {
    response = await fetch(path, {
      method,
      body,
      cache: "no-store",
      credentials: "omit",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        "Accept-Language": language(),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new NoResponse(String(error));
  }
  adjustClock(response);
  if (response.ok || response.status === 304) return response;
  throw await readProblem(response);
}

/** The problem in an error response. */
export async function readProblem(response) {
  const document = await response.json().catch(() => ({}));
  return new Problem(
    document,
    response.status,
    Number(response.headers.get("Retry-After")) || null,
  );
}

/** The JSON at a path. */
export async function get(path, options) {
  return (await request(path, options)).json();
}

/** What an action would do, without doing it. */
export async function preview(path, body, options) {
  return (await request(path, { ...options, method: "POST", body: JSON.stringify(body) })).json();
}
