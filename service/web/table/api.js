// The public interface, called as any client would.

import { language } from "./i18n.js";

const PATIENCE = 20_000;

/** A refusal, as the service words it. */
export class Problem extends Error {
  constructor(document, status, retryAfter) {
    super(document.detail ?? `HTTP ${status}`);
    this.status = status;
    this.code = document.code ?? "";
    this.violations = document.violations ?? [];
    this.retryAfter = retryAfter;
  }
}

/** No answer came: the network is away, or took too long. */
export class Unanswered extends Error {}

let ahead = 0;

/** The service's clock, as far as its last answer told it. */
export function now() {
  return Date.now() + ahead;
}

function heed(answer) {
  const date = Date.parse(answer.headers.get("Date"));
  // A header has whole seconds: a smaller difference says nothing.
  if (date) ahead = Math.abs(date - Date.now()) > 2000 ? date - Date.now() : 0;
}

/** One request; answers the response, a Problem, or Unanswered. */
export async function ask(path, { method = "GET", token, headers = {}, body, signal } = {}) {
  const timeout = AbortSignal.timeout(PATIENCE);
  let answer;
  try {
    answer = await fetch(path, {
      method,
      body,
      cache: "no-store",
      credentials: "omit",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        Accept: "application/json",
        "Accept-Language": language(),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new Unanswered(String(error));
  }
  heed(answer);
  if (answer.ok || answer.status === 304) return answer;
  throw await problemOf(answer);
}

/** What a refusing answer says. */
export async function problemOf(answer) {
  const document = await answer.json().catch(() => ({}));
  return new Problem(document, answer.status, Number(answer.headers.get("Retry-After")) || null);
}

/** The JSON at a path. */
export async function get(path, options) {
  return (await ask(path, options)).json();
}

/** What a change would come to, without making it. */
export async function tryOut(path, body, options) {
  return (await ask(path, { ...options, method: "POST", body: JSON.stringify(body) })).json();
}
