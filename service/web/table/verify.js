// Checks a game's record from the record alone, and shows the game after each of its events.
// It does again what the record says was done and compares what comes of it, as
// docs/records.md and docs/fairness.md describe; nothing is asked of the service.

import * as course from "./verify_game.js";
import { bytesOf, commitment, hexOf, sha256 } from "./shuffle.js";
import { holding, setUp, withLongestLine, withoutPlay } from "./hidden.js";
import { HAND_SIZE, NAMES, Refused, cellAt, columnOf, isWhole, malformed, rowOf, tileNamed } from "./rules.js";

const HEADING = [
  "record_version", "edition", "seats", "auto_bid", "seeded", "commitment", "seed", "events", "digest",
];
const MOST_TILES = 108;
const MOST_SEATS = 4;
const SETUP_REACH = 500;

/** Event `n`, or the record itself if 0, is wrong. */
class Broken extends Error {
  constructor(n, code, detail) {
    super(detail);
    Object.assign(this, { n, code });
  }
}

/** Whether a record tells the truth: the same report as of POST /v1/records/verify. */
export async function verify(record) {
  const complete = isObject(record) && (record.seed ?? null) !== null;
  let checked = 0;
  try {
    for (const _ of steps(record)) checked += 1;
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const problem = { n: error.n, code: error.code, detail: error.message };
    return { ok: false, complete, checked_events: checked, problem };
  }
  return { ok: true, complete, checked_events: checked, problem: null };
}

/** The game after each event, as far as the record is right. */
export function positions(record) {
  const found = [];
  try {
    for (const step of steps(record)) found.push(positionAfter(step));
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
  }
  return found;
}

function positionAfter({ game, entry, made, revealed }) {
  const cells = [...game.board];
  return {
    n: entry.n,
    type: entry.type,
    seat: entry.seat,
    status: game.phase,
    board: cells.map(([cell, tile], at) => ({ ...placement([cell, tile]), turn: game.laid[at] })),
    placements: made.placed?.map(placement) ?? [],
    scores: game.players.map((player) => player && player.score),
    hands: revealed ? game.players.map((player) => player && named(player.hand)) : null,
    hand_counts: game.players.map((player) => player && player.hand.length),
    bag_count: game.phase === "waiting" && !game.bag.length ? MOST_TILES : game.bag.length,
    turn: game.phase === "playing" ? { number: game.turn, seat: game.mover } : null,
    lines: made.lines ?? [],
    points: made.points ?? 0,
    bonus: made.bonus ?? 0,
    end: game.end,
    winners: game.winners,
  };
}

/** Each step of a record once it has proved right; Broken at the first that has not. */
function* steps(record) {
  const told = opened(record);
  const joins = [];
  let game = null;
  for (const [at, entry] of told.events.entries()) {
    const n = at + 1;
    let made;
    try {
      [game, made] = carriedOut(told, entry, game);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw new Broken(n, error.code, error.message);
    }
    requireSame(n, entry, { n, ...made.entry, ...ending(game, entry) });
    joins.push({ n, entry, started: game.phase !== "waiting" });
    yield { game, entry, made, revealed: told.revealed };
  }
  requireTotals(told, game, joins);
}

/** What the last event of a game tells, and what every event that could be it does. */
function ending(game, { type }) {
  if (!["played", "passed", "resigned"].includes(type)) return {};
  return { end: game.end, winners: game.winners };
}

// Reading what was handed in

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function need(value, member) {
  if (!isObject(value)) throw malformed("the entry cannot be read");
  if (!Object.hasOwn(value, member)) throw malformed(`the member '${member}' is missing`);
  return value[member];
}

function few(value, most) {
  if (!Array.isArray(value)) throw malformed("something else stands where a list must be");
  if (value.length > most) throw malformed(`a list has more than ${most} entries`);
  return value;
}

function whole(value) {
  if (!isWhole(value)) throw malformed("something else stands where a whole number must be");
  return value;
}

const readPlacements = (listed) =>
  listed.map((placed) => [
    cellAt(need(placed, "x"), need(placed, "y")),
    tileNamed(need(placed, "tile")),
  ]);

function entrant(told) {
  const [name, age, bot] = ["name", "age_rank", "bot"].map((member) => need(told, member));
  const right =
    typeof name === "string" && (age === null || isWhole(age)) && (bot === null || typeof bot === "string");
  if (!right) throw malformed("this is nobody who can take a seat");
  return course.newPlayer(name, age, bot);
}

/** The record, if its heading makes sense and its seed keeps the commitment. */
function opened(record) {
  const broken = (detail, code = "malformed") => new Broken(0, code, detail);
  if (!isObject(record)) throw broken("a record is a JSON object");
  for (const member of HEADING) {
    if (!Object.hasOwn(record, member)) throw broken(`the member '${member}' is missing`);
    if (member === "record_version" && record[member] !== 1) {
      throw broken("only record version 1 is known here", "unknown_version");
    }
  }
  const { events, seed, commitment: promised } = record;
  if (!Array.isArray(events) || !events.length) {
    throw broken("'events' must be a list that begins with the creation");
  }
  for (const member of ["auto_bid", "seeded"]) {
    if (typeof record[member] !== "boolean") throw broken(`'${member}' must be true or false`);
  }
  const matches = (pattern, value) => typeof value === "string" && pattern.test(value);
  if (promised !== null && !matches(/^sha256:[0-9a-f]{64}$/, promised)) {
    throw broken("'commitment' must be sha256: and 64 hex digits");
  }
  if (seed === null) {
    if ((record.end ?? null) !== null) {
      throw broken("the record of a finished game tells its seed", "seed_missing");
    }
    return { record, events, seed: new Uint8Array(32), revealed: false };
  }
  if (!matches(/^[0-9a-f]{64}$/, seed)) {
    throw broken("'seed' must be 64 hex digits, or null before the end");
  }
  if (commitment(bytesOf(seed)) !== promised) {
    throw broken("the commitment is not that of the seed", "commitment_broken");
  }
  return { record, events, seed: bytesOf(seed), revealed: true };
}

// Doing it again

function carriedOut(told, entry, game) {
  if (game === null) {
    const made = created(told, entry);
    declareBids(told, made.game);
    return [made.game, made];
  }
  const type = need(entry, "type");
  if (type === "joined" || type === "dealt") {
    const made = type === "joined" ? joined(game, entry) : dealt(told, game);
    declareBids(told, game);
    return [game, made];
  }
  return [game, acted(told, entry, game, type)];
}

function created(told, entry) {
  if (need(entry, "type") !== "created") throw malformed("the first event of a game is its creation");
  const { record, seed, revealed } = told;
  const given = need(entry, "setup");
  const { setup, left } = given === null ? { setup: null, left: [] } : readSetup(given, revealed);
  const players = few(need(entry, "players"), MOST_SEATS).map(entrant);
  const { edition, seats } = record;
  const entrants = players.map(entryOf);
  const game = course.create(seed, players, {
    seats: seats === null ? players.length : whole(seats),
    edition,
    autoBid: record.auto_bid && revealed,
    setup,
  });
  const position = game.setup ?? { hands: game.players.map((player) => player?.hand), bag: game.bag };
  game.removed = left;
  const said = setup && {
    board: setup.board.map(placement),
    hands: revealed && setup.hands ? setup.hands.map((hand) => hand && named(hand)) : null,
    bag: revealed && setup.bag ? named(setup.bag) : null,
    hand_counts: position.hands.map((hand) => hand.length),
    bag_count: position.bag.length,
    scores: setup.scores,
    turn: setup.turn,
  };
  return { game, entry: { type: "created", seat: null, players: entrants, setup: said } };
}

const entryOf = ({ name, age, bot }) => ({ name, age_rank: age, bot });

function readSetup(given, revealed) {
  const tiles = (names, most) => names && few(names, most).map(tileNamed);
  const board = readPlacements(few(need(given, "board"), MOST_TILES));
  const scores = need(given, "scores");
  if (scores !== null) few(scores, MOST_SEATS);
  const turn = need(given, "turn");
  for (const number of [...(scores ?? []), turn ?? 0]) {
    if (!isWhole(number) || number < 0) throw malformed("this is no score and no seat");
  }
  if (board.some(([cell]) => Math.max(Math.abs(rowOf(cell)), Math.abs(columnOf(cell))) > SETUP_REACH)) {
    throw malformed("a set-up board keeps within reach of the middle");
  }
  if (!revealed) {
    const counts = few(need(given, "hand_counts"), MOST_SEATS);
    if (counts.some((count) => count > HAND_SIZE)) throw malformed("a hand holds at most six tiles");
    return setUp(board, counts, need(given, "bag_count"), scores, turn);
  }
  const listed = need(given, "hands");
  const hands = listed === null ? null : few(listed, MOST_SEATS).map((hand) => tiles(hand, HAND_SIZE));
  return { setup: { board, hands, bag: tiles(need(given, "bag"), MOST_TILES), scores, turn }, left: [] };
}

/** The bids that the service declared, where they cannot be told from hands. */
function declareBids({ record, revealed }, game) {
  if (revealed || !record.auto_bid || game.phase !== "bidding") return;
  const { bids } = record;
  const possible = (length, seat) =>
    isWhole(length) && length >= 1 && length <= Math.min(HAND_SIZE, game.players[seat].hand.length);
  if (!Array.isArray(bids) || bids.length !== game.players.length || !bids.every(possible)) {
    throw new Broken(0, "malformed", "'bids' must have a possible bid of every seat");
  }
  game.players.forEach((player, seat) => {
    player.bid = bids[seat];
  });
  course.openIfAllBid(game);
}

function joined(game, told) {
  const player = entrant(told);
  const seated = course.join(game, player, whole(need(told, "seat")));
  return { entry: { type: "joined", ...seated, ...entryOf(player) } };
}

function dealt({ revealed }, game) {
  const { hands } = course.deal(game);
  return { entry: { type: "dealt", seat: null, hands: hands.map((hand) => (revealed ? named(hand) : null)) } };
}

/** What a player did, or what was done in the player's place. */
function acted({ revealed }, told, game, type) {
  const [seat, timeout] = [need(told, "seat"), need(told, "timeout")];
  if (!isWhole(seat) || typeof timeout !== "boolean") {
    throw malformed("'seat' must be a whole number, and 'timeout' true or false");
  }
  const head = { type, seat, timeout };
  const fit = (wanted) => revealed || holding(game, seat, wanted);
  const open = (tiles) => (revealed ? named(tiles) : null);
  const held = () => (game.players[seat]?.resigned ? [] : (game.players[seat]?.hand ?? []));
  if (type === "bid") {
    const length = whole(need(told, "length"));
    fit(withLongestLine(length, held().length));
    return { entry: { ...head, ...course.bid(game, seat, length) } };
  }
  if (type === "played") {
    const placements = readPlacements(few(need(told, "placements"), HAND_SIZE));
    fit(placements.map(([, tile]) => tile));
    const { placed, points, bonus, drew, lines } = course.place(game, seat, placements);
    const entry = { ...head, placements: placed.map(placement), points, bonus, drew: open(drew) };
    return { entry, placed, points, bonus, lines };
  }
  if (type === "exchanged") {
    const aside = setAside(told, held(), revealed);
    const { returned, drew } = course.exchange(game, seat, aside);
    return { entry: { ...head, count: returned.length, returned: open(returned), drew: open(drew) } };
  }
  if (type === "passed") {
    fit(withoutPlay(game, seat));
    return { entry: { ...head, ...course.passTurn(game, seat) } };
  }
  if (type === "resigned") return { entry: { ...head, ...course.resign(game, seat) } };
  throw malformed("there is no such type of event");
}

function setAside(told, hand, revealed) {
  if (revealed) return few(need(told, "returned"), HAND_SIZE).map(tileNamed);
  const count = whole(need(told, "count"));
  if (count < 1 || count > HAND_SIZE) throw malformed("an exchange is of one to six tiles");
  return hand.slice(0, count);
}

const named = (tiles) => tiles.map((tile) => NAMES[tile]);
const placement = ([cell, tile]) => ({ tile: NAMES[tile], x: columnOf(cell), y: rowOf(cell) });

// Comparing

function requireSame(n, told, truth) {
  const where = difference(told, truth, "");
  if (where !== null) throw new Broken(n, "differs", `${where || "it"} is not what it must be`);
}

/** The way to the first thing in which two values differ, or null. */
function difference(told, truth, path) {
  if (Array.isArray(truth) || isObject(truth)) {
    if (Array.isArray(told) !== Array.isArray(truth) || typeof told !== "object" || told === null) {
      return path;
    }
    for (const key of new Set([...Object.keys(truth), ...Object.keys(told)])) {
      const both = Object.hasOwn(told, key) && Object.hasOwn(truth, key);
      const inside = both ? difference(told[key], truth[key], path ? `${path}/${key}` : key) : `${path}/${key}`;
      if (inside !== null) return inside;
    }
    return null;
  }
  return told === truth ? null : path;
}

/** What stands beside the events must agree with them. */
function requireTotals({ record, revealed }, game, joins) {
  requireRanks(joins);
  if (revealed && game.phase !== "finished") {
    throw new Broken(game.version, "cut_short", "the seed is revealed, but the game goes on");
  }
  if ((record.commitment === null) !== (game.phase === "waiting")) {
    throw new Broken(0, "differs", "'commitment' must be null while the game is waiting, and only then");
  }
  const rest = Object.fromEntries(Object.entries(record).filter(([key]) => !HEADING.includes(key)));
  requireSame(0, rest, {
    bids: game.players.map((player) => player && player.bid),
    scores: game.players.map((player) => player && player.score),
    end: game.end,
    winners: game.winners,
  });
  const { digest, ...others } = record;
  const bytes = new TextEncoder().encode(written(others));
  if (digest !== `sha256:${hexOf(sha256(bytes))}`) {
    throw new Broken(0, "digest_broken", "something was altered that no rule decides");
  }
}

/** Ages are told by their order alone, and only of those who were seated at the start. */
function requireRanks(joins) {
  let seated = new Map();
  const all = [];
  for (const { n, entry, started } of joins) {
    const players = entry.type === "created" ? entry.players : entry.type === "joined" ? [entry] : [];
    players.forEach((told, at) => {
      const chair = { n, told };
      seated.set(entry.seat ?? at, chair);
      all.push(chair);
    });
    if (entry.type === "resigned") seated.delete(entry.seat);
    if (started) break;
  }
  if (!joins.at(-1).started) seated = new Map();
  const ages = [...seated.values()].map(({ told }) => told.age_rank).filter((age) => age !== null);
  const order = [...new Set(ages)].sort((one, other) => one - other);
  for (const chair of all) {
    const counts = [...seated.values()].includes(chair) && chair.told.age_rank !== null;
    const rank = counts ? order.indexOf(chair.told.age_rank) : null;
    if (chair.told.age_rank !== rank) {
      throw new Broken(chair.n, "differs", "age_rank is not what it must be");
    }
  }
}

/** A value as RFC 8785 writes it: members sorted, no blanks. */
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${written(value[key])}`).join(",")}}`;
}
