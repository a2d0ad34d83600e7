// The page's client of the service. Actions are stored in this browser until they are answered, so
// that neither a lost answer nor a reload loses one.

import { Outbox, Qwirkle } from "./client/index.js";
import { apiKey, saveGame } from "./local_storage.js";

const delayed = new Set();

/** The actions without an answer. */
export const outbox = new Outbox(
  {
    // Where the browser forbids its storage, every use throws.
    getItem: (name) => localStorage.getItem(name),
    setItem: (name, value) => localStorage.setItem(name, value),
  },
  { onAnswer: saveTokens },
);

export const qwirkle = new Qwirkle(".", {
  outbox,
  apiKey: apiKey.read(),
  patience: Infinity,
  fetch: fetchAndNote,
  onRetry: (_, { path }) => note(() => delayed.add(path)),
});

/** Whether the service has not answered something that it was asked. */
export function isDelayed() {
  return delayed.size > 0;
}

/** Forgets what the last view of the page was waiting for. */
export function forgetDelays() {
  delayed.clear();
}

async function fetchAndNote(url, init) {
  const response = await fetch(url, init);
  if (response.status < 500) note(() => delayed.delete(url.slice(1)));
  return response;
}

function note(change) {
  const before = isDelayed();
  change();
  if (isDelayed() !== before) document.dispatchEvent(new CustomEvent("qwirkle:delay"));
}

/** Runs before an answered action is removed from the outbox, so that no crash can lose tokens. */
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
