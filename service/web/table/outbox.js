// Actions being sent. Each has an idempotency key and is stored in this browser until it is
// answered, so resending it after a lost response or a reload has no further effect.

import { request, Problem, NoResponse } from "./api.js";
import { saveGame, tokenOf } from "./local_storage.js";

const STORAGE_KEY = "qwirkle.outbox";
const MAX_AGE_MS = 20 * 3600 * 1000; // the service remembers a key for 24 hours
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000];

const inFlight = new Map();

function read() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY)) ?? {};
  } catch {
    return {};
  }
}

function write(actions) {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(actions));
  } catch {
    // Without storage the key lives as long as the page.
  }
}

function store(action) {
  write({ ...read(), [action.key]: action });
}

function remove(action) {
  const actions = read();
  delete actions[action.key];
  write(actions);
}

function newKey() {
  // randomUUID is missing over plain http, which servers on a local network often use.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Sends an action until it is answered. `as` is a seat, "host", "key" or null. */
export function send(game, path, body, as = null) {
  const action = { key: newKey(), game, path, body: JSON.stringify(body), as, at: Date.now() };
  store(action);
  return deliver(action);
}

/** The unanswered actions of a game (null: new games). */
export function pendingActions(game) {
  const actions = Object.values(read()).filter((action) => action.game === game);
  for (const old of actions.filter((action) => Date.now() - action.at > MAX_AGE_MS)) remove(old);
  return actions.filter((action) => Date.now() - action.at <= MAX_AGE_MS);
}

/** Sends an action; one that is already being sent is not sent twice. */
export function deliver(action) {
  if (!inFlight.has(action.key)) {
    const done = sendUntilAnswered(action).finally(() => inFlight.delete(action.key));
    inFlight.set(action.key, done);
  }
  return inFlight.get(action.key);
}

async function sendUntilAnswered(action) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await request(action.path, {
        method: "POST",
        body: action.body,
        token: tokenOf(action.game, action.as),
        headers: { "Idempotency-Key": action.key },
      });
      const result = await response.json();
      saveTokens(result);
      remove(action);
      return result;
    } catch (error) {
      if (!isTransient(error)) {
        remove(action);
        throw error;
      }
      document.dispatchEvent(new CustomEvent("qwirkle:delayed"));
      await waitOrOnline(
        error.retryAfter ? error.retryAfter * 1000 : RETRY_DELAYS_MS[Math.min(attempt, 4)],
      );
    }
  }
}

/** Runs before the action is removed from the outbox, so that no crash can lose tokens. */
function saveTokens(result) {
  if (result.host_token) {
    const names = Object.fromEntries(result.game.players.map((each) => [each.seat, each.name]));
    const here = result.players.filter(({ seat }) => !result.game.players[seat]?.bot);
    const seats = here.map(({ seat, token }) => [seat, { token, name: names[seat] }]);
    const found = { host: result.host_token, code: result.join_code };
    saveGame(result.game.id, { ...found, seats: Object.fromEntries(seats) });
  } else if (result.token && result.seat === null) {
    saveGame(result.game.id, { host: result.token, code: result.game.host?.join_code ?? null });
  } else if (result.token) {
    const name = result.game.players.find((each) => each.seat === result.seat)?.name;
    saveGame(result.game.id, { seats: { [result.seat]: { token: result.token, name } } });
  }
}

/** Whether a retry may help. */
function isTransient(error) {
  if (error instanceof NoResponse) return true;
  if (!(error instanceof Problem)) return error instanceof TypeError;
  return error.status === 429 || error.status >= 500 || error.code === "request_in_flight";
}

function waitOrOnline(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
    addEventListener("online", done);
  });
}
