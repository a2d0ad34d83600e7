// Actions on their way. Each has an idempotency key and is kept, in this browser, until it is
// answered: sent again after a lost answer or a reload, it still happens only once.

import { ask, Problem, Unanswered } from "./api.js";
import { remember, tokenOf } from "./local_storage.js";

const NAME = "qwirkle.outbox";
const KEPT = 20 * 3600 * 1000; // the service knows a key for 24 hours
const PAUSES = [500, 1000, 2000, 4000, 8000];

const underway = new Map();

function read() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) ?? {};
  } catch {
    return {};
  }
}

function write(orders) {
  try {
    localStorage.setItem(NAME, JSON.stringify(orders));
  } catch {
    // Then the key lives as long as the page.
  }
}

function note(order) {
  write({ ...read(), [order.key]: order });
}

function strike(order) {
  const orders = read();
  delete orders[order.key];
  write(orders);
}

function freshKey() {
  // randomUUID is not there on plain http, which a table in one's own network may well use.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Sends an action until it is answered. `as` is a seat, "host" or null. */
export function send(game, path, body, as = null) {
  const order = { key: freshKey(), game, path, body: JSON.stringify(body), as, at: Date.now() };
  note(order);
  return deliver(order);
}

/** What was sent from here and not answered yet, of a game (null: new games). */
export function unanswered(game) {
  const orders = Object.values(read()).filter((order) => order.game === game);
  for (const old of orders.filter((order) => Date.now() - order.at > KEPT)) strike(old);
  return orders.filter((order) => Date.now() - order.at <= KEPT);
}

/** Sends an order, or waits with whoever sends it already. */
export function deliver(order) {
  if (!underway.has(order.key)) {
    const done = attempts(order).finally(() => underway.delete(order.key));
    underway.set(order.key, done);
  }
  return underway.get(order.key);
}

async function attempts(order) {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await ask(order.path, {
        method: "POST",
        body: order.body,
        token: tokenOf(order.game, order.as),
        headers: { "Idempotency-Key": order.key },
      });
      const result = await answer.json();
      keepTokens(result);
      strike(order);
      return result;
    } catch (error) {
      if (!passing(error)) {
        strike(order);
        throw error;
      }
      document.dispatchEvent(new CustomEvent("qwirkle:delayed"));
      await pause(error.retryAfter ? error.retryAfter * 1000 : PAUSES[Math.min(tries, 4)]);
    }
  }
}

/** Tokens are written down before the order is struck off, so that no crash can lose them. */
function keepTokens(result) {
  if (result.host_token) {
    const names = Object.fromEntries(result.game.players.map((each) => [each.seat, each.name]));
    const here = result.players.filter(({ seat }) => !result.game.players[seat]?.bot);
    const seats = here.map(({ seat, token }) => [seat, { token, name: names[seat] }]);
    const found = { host: result.host_token, code: result.join_code };
    remember(result.game.id, { ...found, seats: Object.fromEntries(seats) });
  } else if (result.token && result.seat === null) {
    remember(result.game.id, { host: result.token, code: result.game.host?.join_code ?? null });
  } else if (result.token) {
    const name = result.game.players.find((each) => each.seat === result.seat)?.name;
    remember(result.game.id, { seats: { [result.seat]: { token: result.token, name } } });
  }
}

/** Whether trying again may help. */
function passing(error) {
  if (error instanceof Unanswered) return true;
  if (!(error instanceof Problem)) return error instanceof TypeError;
  return error.status === 429 || error.status >= 500 || error.code === "request_in_flight";
}

function pause(milliseconds) {
  return new Promise((go) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      go();
    }
    addEventListener("online", done);
  });
}
