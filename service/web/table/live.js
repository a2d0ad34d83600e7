// News of a game: a stream, or waiting requests where streams do not come through.

import { ask, Problem, problemOf, Unanswered } from "./api.js";
import { language } from "./i18n.js";

const SILENCE = 40_000; // the service says something every 15 seconds
const FIRST_WORD = 8000; // and at once when a stream begins: silence means that somebody buffers it
const STREAM_AGAIN = 60_000;
const PAUSES = [500, 1000, 2000, 4000, 8000];

/**
 * Follows a game from event `after` on until `signal` ends it.
 * `tell(kind, event)` gets every event once, and `resync`, `deleted` or, at the last, `refused`;
 * `state("live" | "polling" | "lost")` says how things stand.
 */
export async function follow(id, { token, after, tell, state, signal }) {
  const place = { n: after, id: null };
  let failures = 0;
  let streamAt = 0;
  let over = false;
  const heard = (kind, event) => {
    if (event?.n) place.n = event.n;
    if (event?.id) place.id = event.id;
    if (event?.end || kind === "deleted") over = true;
    tell(kind, event);
  };
  while (!signal.aborted && !over) {
    const attempt = attemptOf(signal);
    try {
      if (Date.now() >= streamAt) {
        await stream(id, place, token, heard, attempt, () => {
          failures = 0;
          state("live");
        });
        // It was closed in order: its worker stops, and another takes over.
        if (!over) await rest(PAUSES[0], signal);
      } else {
        // The first one does not wait: it is to show that the line is good.
        await poll(id, place, token, heard, attempt, failures ? 0 : 15);
        failures = 0;
        state("polling");
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status < 500 && error.status !== 429) {
        tell(error.status === 404 ? "deleted" : "refused", null);
        return;
      }
      failures += 1;
      // A stream that fails twice may be the stream's fault: ask in the other way for a while.
      if (failures === 2) streamAt = Date.now() + STREAM_AGAIN;
      if (failures > 2 || !navigator.onLine) state("lost");
      const pause = error.retryAfter ? error.retryAfter * 1000 : PAUSES[Math.min(failures, 4)];
      await rest(pause, signal);
      if (!navigator.onLine) streamAt = 0;
    } finally {
      attempt.end();
    }
  }
}

/** A signal for one attempt, which ends with the whole, or as soon as the network is gone. */
function attemptOf(signal) {
  const controller = new AbortController();
  const stop = () => controller.abort(new Unanswered("the network is gone"));
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

async function stream(id, place, token, heard, attempt, opened) {
  let silence = setTimeout(attempt.stop, FIRST_WORD);
  try {
    const answer = await fetch(`v1/games/${id}/events${place.id ? "" : `?after=${place.n}`}`, {
      cache: "no-store",
      credentials: "omit",
      signal: attempt.signal,
      headers: {
        Accept: "text/event-stream",
        "Accept-Language": language(),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(place.id ? { "Last-Event-ID": place.id } : {}),
      },
    });
    if (answer.status === 204) return heard("ended", { end: true });
    if (!answer.ok) throw await problemOf(answer);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let first = true; ; first = false) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      if (first) opened();
      clearTimeout(silence);
      silence = setTimeout(attempt.stop, SILENCE);
      const messages = (text + value).split("\n\n");
      text = messages.pop();
      for (const message of messages) hear(message, heard);
    }
  } finally {
    clearTimeout(silence);
  }
}

function hear(message, heard) {
  const fields = {};
  for (const line of message.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  if (fields.data) heard(fields.event, { id: fields.id, ...JSON.parse(fields.data) });
}

async function poll(id, place, token, heard, attempt, wait) {
  const path = `v1/games/${id}/events?after=${place.n}&wait=${wait}`;
  const page = await (await ask(path, { token, signal: attempt.signal })).json();
  if (page.last < place.n) {
    place.n = page.last;
    place.id = null;
    return heard("resync", null);
  }
  for (const event of page.events) heard(event.type, event);
  return undefined;
}

function rest(milliseconds, signal) {
  return new Promise((go) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      go();
    }
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
