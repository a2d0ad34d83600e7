// What this browser stores: the user's games and settings.

const GAMES = "qwirkle.tables";
const SETTINGS = "qwirkle.settings";
const MAX_GAMES = 30;

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
}

function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without storage the game can still be played until the page is closed.
  }
}

/** The user's settings. */
export function settings() {
  return read(SETTINGS);
}

/** Changes some settings. */
export function changeSettings(changes) {
  write(SETTINGS, { ...settings(), ...changes });
}

/** What is stored about a game: `host`, `code`, `seats: {0: {token, name}}`. */
export function savedGame(id) {
  return read(GAMES)[id] ?? { host: null, code: null, seats: {} };
}

/** Stores more about a game; seats are added to those stored. */
export function saveGame(id, changes) {
  const games = read(GAMES);
  const old = games[id] ?? { host: null, code: null, seats: {} };
  games[id] = { ...old, ...changes, seats: { ...old.seats, ...changes.seats }, at: Date.now() };
  const newest = Object.entries(games).sort((a, b) => b[1].at - a[1].at);
  write(GAMES, Object.fromEntries(newest.slice(0, MAX_GAMES)));
}

/** Stores what the list of tables shows of a game, and returns it. */
export function saveSummary(id, { status, players, turn }) {
  const seen = players.map(({ seat, name, score }) => ({ seat, name, score }));
  const summary = { status, players: seen, turn: turn?.seat ?? null };
  const games = read(GAMES);
  if (games[id]) write(GAMES, { ...games, [id]: { ...games[id], summary } });
  return summary;
}

/** Removes a seat's token. */
export function forgetSeat(id, seat) {
  const games = read(GAMES);
  delete games[id]?.seats[seat];
  write(GAMES, games);
}

/** Removes a game. */
export function forgetGame(id) {
  const games = read(GAMES);
  delete games[id];
  write(GAMES, games);
}

/** All stored games, newest first. */
export function savedGames() {
  return Object.entries(read(GAMES))
    .map(([id, game]) => ({ id, ...game }))
    .sort((a, b) => b.at - a.at);
}

/** The API key that some services require to create games; kept until the tab is closed. */
export const apiKey = {
  read() {
    try {
      return sessionStorage.getItem("qwirkle.key");
    } catch {
      return null;
    }
  },
  save: (key) => sessionStorage.setItem("qwirkle.key", key),
};

/** The token of a seat or of "host"; null for a spectator. */
export function tokenOf(id, who) {
  if (who === null) return null;
  const game = savedGame(id);
  return who === "host" ? game.host : (game.seats[who]?.token ?? null);
}

/** Tiles laid out but not played yet; they survive a reload of this tab. */
export const savedDraft = {
  read(id, seat) {
    try {
      return JSON.parse(sessionStorage.getItem(`qwirkle.laid.${id}.${seat}`)) ?? [];
    } catch {
      return [];
    }
  },
  save(id, seat, placements) {
    try {
      if (placements.length) {
        sessionStorage.setItem(`qwirkle.laid.${id}.${seat}`, JSON.stringify(placements));
      } else sessionStorage.removeItem(`qwirkle.laid.${id}.${seat}`);
    } catch {
      // Without storage the draft does not survive a reload.
    }
  },
};
