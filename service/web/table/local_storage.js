// What this browser keeps: the tables it sits at, and how the reader likes the page.

const TABLES = "qwirkle.tables";
const SETTINGS = "qwirkle.settings";
const MOST_TABLES = 30;

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing can still play until the page is closed.
  }
}

/** How the reader likes the page. */
export function settings() {
  return read(SETTINGS);
}

/** Changes some of that. */
export function choose(changes) {
  keep(SETTINGS, { ...settings(), ...changes });
}

/** Everything known here of a game: `host`, `code`, `seats: {0: {token, name}}`. */
export function tableOf(id) {
  return read(TABLES)[id] ?? { host: null, code: null, seats: {} };
}

/** Remembers more of a game; seats are added to those known. */
export function remember(id, changes) {
  const tables = read(TABLES);
  const old = tables[id] ?? { host: null, code: null, seats: {} };
  tables[id] = { ...old, ...changes, seats: { ...old.seats, ...changes.seats }, at: Date.now() };
  const newest = Object.entries(tables).sort((a, b) => b[1].at - a[1].at);
  keep(TABLES, Object.fromEntries(newest.slice(0, MOST_TABLES)));
}

/** Gives up a seat. */
export function leaveSeat(id, seat) {
  const tables = read(TABLES);
  delete tables[id]?.seats[seat];
  keep(TABLES, tables);
}

/** Forgets a game. */
export function forget(id) {
  const tables = read(TABLES);
  delete tables[id];
  keep(TABLES, tables);
}

/** The games that this browser has a part in, newest first. */
export function tables() {
  return Object.entries(read(TABLES))
    .map(([id, table]) => ({ id, ...table }))
    .sort((a, b) => b.at - a.at);
}

/** The key that creating games needs on some services; forgotten with the tab. */
export const apiKey = {
  read: () => sessionStorage.getItem("qwirkle.key"),
  keep: (key) => sessionStorage.setItem("qwirkle.key", key),
};

/** The token of a seat, of the host ("host"), of whoever creates ("key"), or of nobody (null). */
export function tokenOf(id, who) {
  if (who === null || who === undefined) return null;
  if (who === "key") return apiKey.read();
  const table = tableOf(id);
  return who === "host" ? table.host : (table.seats[who]?.token ?? null);
}

/** Tiles laid out but not played yet; they outlive a reload of this tab. */
export const laidOut = {
  read(id, seat) {
    try {
      return JSON.parse(sessionStorage.getItem(`qwirkle.laid.${id}.${seat}`)) ?? [];
    } catch {
      return [];
    }
  },
  keep(id, seat, placements) {
    try {
      if (placements.length) {
        sessionStorage.setItem(`qwirkle.laid.${id}.${seat}`, JSON.stringify(placements));
      } else sessionStorage.removeItem(`qwirkle.laid.${id}.${seat}`);
    } catch {
      // As above.
    }
  },
};
