// The events of a game: from a stream, or by long polling where streams do not get through.

import { request, Problem, readProblem, NoResponse } from "./api.js";
import { language } from "./i18n.js";

const SILENCE_MS = 40_000; // the service sends a heartbeat every 15 seconds
const FIRST_MESSAGE_MS = 8000; // a stream starts at once unless a proxy buffers it
const STREAM_RETRY_MS = 60_000;
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000];

/**
 * Follows a game after event `after` until `signal` aborts.
 * `onEvent(kind, event)` gets every event once, and `resync`, `deleted` or finally `refused`;
 * `onState("live" | "polling" | "lost")` reports the connection.
 */
export async function follow(id, { token, after, onEvent, onState, signal }) {
  const cursor = { n: after, id: null };
  let failures = 0;
  let streamAt = 0;
  let over = false;
  const receive = (kind, event) => {
    if (event?.n) cursor.n = event.n;
    if (event?.id) cursor.id = event.id;
    if (event?.end || kind === "deleted") over = true;
    onEvent(kind, event);
  };
  while (!signal.aborted && !over) {
    const attempt = newAttempt(signal);
    try {
      if (Date.now() >= streamAt) {
        await stream(id, cursor, token, receive, attempt, () => {
          failures = 0;
          onState("live");
        });
        // The stream ended normally: its worker is stopping, and another takes over.
        if (!over) await sleep(RETRY_DELAYS_MS[0], signal);
      } else {
        // The first poll does not wait: it shows that the connection works.
        await poll(id, cursor, token, receive, attempt, failures ? 0 : 15);
        failures = 0;
        onState("polling");
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status < 500 && error.status !== 429) {
        onEvent(error.status === 404 ? "deleted" : "refused", null);
        return;
      }
      failures += 1;
      // After two failures the stream itself may be the problem: poll for a while.
      if (failures === 2) streamAt = Date.now() + STREAM_RETRY_MS;
      if (failures > 2 || !navigator.onLine) onState("lost");
      const pause = error.retryAfter
        ? error.retryAfter * 1000
        : RETRY_DELAYS_MS[Math.min(failures, 4)];
      await sleep(pause, signal);
      if (!navigator.onLine) streamAt = 0;
    } finally {
      attempt.end();
    }
  }
}

/** A signal for one attempt; it aborts with `signal`, or when the browser goes offline. */
function newAttempt(signal) {
  const controller = new AbortController();
  const stop = () => controller.abort(new NoResponse("the network is gone"));
  signal.addEventListener("abort", stop);
  addEventListener("offline", stop);
  return {
    signal: controller.signal,
    stop,
    end() {
      signal.removeEventListener("abort", stop);
      removeEventListener("offline", stop);
      controller.abort();
    },
  };
}

async function stream(id, cursor, token, receive, attempt, opened) {
  let silence = setTimeout(attempt.stop, FIRST_MESSAGE_MS);
  try {
    const response = await fetch(`v1/games/${id}/events/stream${cursor.id ? "" : `?after=${cursor.n}`}`, {
      cache: "no-store",
      credentials: "omit",
      signal: attempt.signal,
      headers: {
        "Accept-Language": language(),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(cursor.id ? { "Last-Event-ID": cursor.id } : {}),
      },
    });
    if (response.status === 204) return receive("ended", { end: true });
    if (!response.ok) throw await readProblem(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let first = true; ; first = false) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      if (first) opened();
      clearTimeout(silence);
      silence = setTimeout(attempt.stop, SILENCE_MS);
      const messages = (text + value).split("\n\n");
      text = messages.pop();
      for (const message of messages) parseMessage(message, receive);
    }
  } finally {
    clearTimeout(silence);
  }
}

function parseMessage(message, receive) {
  const fields = {};
  for (const line of message.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  if (fields.data) receive(fields.event, { id: fields.id, ...JSON.parse(fields.data) });
}

async function poll(id, cursor, token, receive, attempt, wait) {
  const path = `v1/games/${id}/events?after=${cursor.n}&wait=${wait}`;
  const page = await (await request(path, { token, signal: attempt.signal })).json();
  if (page.last < cursor.n) {
    cursor.n = page.last;
    cursor.id = null;
    return receive("resync", null);
  }
  for (const event of page.events) receive(event.type, event);
  return undefined;
}

function sleep(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    }
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
