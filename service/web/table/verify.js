// Verifies a game record without the service: replays every event and compares the outcome
// with what the record says, as docs/records.md and docs/fairness.md describe.

import * as actions from "./game_actions.js";
import { bytesOf, commitment, hexOf, sha256 } from "./shuffle.js";
import { dealHidden, hiddenSetup, handWithLongestLine, unplayableTiles } from "./possible_deals.js";
import {
  HAND_SIZE, RuleError, TILE_NAMES, cellAt, columnOf, isInteger, malformed, rowOf, tileFromName,
} from "./rules.js";

const HEADER_MEMBERS = [
  "record_version", "edition", "seats", "auto_bid", "seeded", "commitment", "seed", "events", "digest",
];
const MAX_TILES = 108;
const MAX_SEATS = 4;
const MAX_SETUP_COORDINATE = 500;

/** Event `n` is wrong; 0 stands for the record itself. */
class RecordError extends Error {
  constructor(n, code, detail) {
    super(detail);
    Object.assign(this, { n, code });
  }
}

/** The same report as POST /v1/records/verify. */
export async function verify(record) {
  const complete = isObject(record) && (record.seed ?? null) !== null;
  let checked = 0;
  try {
    for (const _ of steps(record)) checked += 1;
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    const problem = { n: error.n, code: error.code, detail: error.message };
    return { ok: false, complete, checked_events: checked, problem };
  }
  return { ok: true, complete, checked_events: checked, problem: null };
}

/** The game after each event, up to the first wrong one. */
export function positions(record) {
  const found = [];
  try {
    for (const step of steps(record)) found.push(positionAfter(step));
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
  }
  return found;
}

function positionAfter({ game, entry, outcome, revealed }) {
  const cells = [...game.board];
  return {
    n: entry.n,
    type: entry.type,
    seat: entry.seat,
    status: game.phase,
    board: cells.map(([cell, tile], at) => ({ ...placement([cell, tile]), turn: game.laid[at] })),
    placements: outcome.placed?.map(placement) ?? [],
    scores: game.players.map((player) => player && player.score),
    hands: revealed ? game.players.map((player) => player && named(player.hand)) : null,
    hand_counts: game.players.map((player) => player && player.hand.length),
    bag_count: game.phase === "waiting" && !game.bag.length ? MAX_TILES : game.bag.length,
    turn: game.phase === "playing" ? { number: game.turn, seat: game.mover } : null,
    lines: outcome.lines ?? [],
    points: outcome.points ?? 0,
    bonus: outcome.bonus ?? 0,
    end: game.end,
    winners: game.winners,
  };
}

/** Yields each verified step; throws RecordError at the first wrong one. */
function* steps(record) {
  const source = readHeader(record);
  const joins = [];
  let game = null;
  for (const [at, entry] of source.events.entries()) {
    const n = at + 1;
    let outcome;
    try {
      [game, outcome] = applyEvent(source, entry, game);
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      throw new RecordError(n, error.code, error.message);
    }
    requireSame(n, entry, { n, ...outcome.entry, ...ending(game, entry) });
    joins.push({ n, entry, started: game.phase !== "waiting" });
    yield { game, entry, outcome, revealed: source.revealed };
  }
  requireTotals(source, game, joins);
}

/** Every event that can end a game has these members. */
function ending(game, { type }) {
  if (!["played", "passed", "resigned"].includes(type)) return {};
  return { end: game.end, winners: game.winners };
}

// Reading

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function read(value, member) {
  if (!isObject(value)) throw malformed("the entry cannot be read");
  if (!Object.hasOwn(value, member)) throw malformed(`the member '${member}' is missing`);
  return value[member];
}

function readList(value, most) {
  if (!Array.isArray(value)) throw malformed("this must be a list");
  if (value.length > most) throw malformed(`a list has more than ${most} entries`);
  return value;
}

function readInteger(value) {
  if (!isInteger(value)) throw malformed("this must be an integer");
  return value;
}

const readPlacements = (listed) =>
  listed.map((placed) => [
    cellAt(read(placed, "x"), read(placed, "y")),
    tileFromName(read(placed, "tile")),
  ]);

function readPlayer(entry) {
  const [name, age, bot] = ["name", "age_rank", "bot"].map((member) => read(entry, member));
  const right =
    typeof name === "string" && (age === null || isInteger(age)) && (bot === null || typeof bot === "string");
  if (!right) throw malformed("this is not a player");
  return actions.newPlayer(name, age, bot);
}

/** Checks the header, and the seed against the commitment. */
function readHeader(record) {
  const broken = (detail, code = "malformed") => new RecordError(0, code, detail);
  if (!isObject(record)) throw broken("a record is a JSON object");
  for (const member of HEADER_MEMBERS) {
    if (!Object.hasOwn(record, member)) throw broken(`the member '${member}' is missing`);
    if (member === "record_version" && record[member] !== 1) {
      throw broken("only record version 1 is supported", "unknown_version");
    }
  }
  const { events, seed, commitment: promised } = record;
  if (!Array.isArray(events) || !events.length) {
    throw broken("'events' must be a list that starts with 'created'");
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
      throw broken("a finished game must reveal its seed", "seed_missing");
    }
    return { record, events, seed: new Uint8Array(32), revealed: false };
  }
  if (!matches(/^[0-9a-f]{64}$/, seed)) {
    throw broken("'seed' must be 64 hex digits, or null before the end");
  }
  if (commitment(bytesOf(seed)) !== promised) {
    throw broken("the seed does not match the commitment", "commitment_broken");
  }
  return { record, events, seed: bytesOf(seed), revealed: true };
}

// Replaying

function applyEvent(source, entry, game) {
  if (game === null) {
    const outcome = applyCreated(source, entry);
    declareBids(source, outcome.game);
    return [outcome.game, outcome];
  }
  const type = read(entry, "type");
  if (type === "joined" || type === "dealt") {
    const outcome = type === "joined" ? applyJoined(game, entry) : applyDealt(source, game);
    declareBids(source, game);
    return [game, outcome];
  }
  return [game, applyAction(source, entry, game, type)];
}

function applyCreated(source, entry) {
  if (read(entry, "type") !== "created") throw malformed("the first event must be 'created'");
  const { record, seed, revealed } = source;
  const given = read(entry, "setup");
  const { setup, left } = given === null ? { setup: null, left: [] } : readSetup(given, revealed);
  const players = readList(read(entry, "players"), MAX_SEATS).map(readPlayer);
  const { edition, seats } = record;
  const entrants = players.map(playerEntry);
  const game = actions.create(seed, players, {
    seats: seats === null ? players.length : readInteger(seats),
    edition,
    autoBid: record.auto_bid && revealed,
    setup,
  });
  const position = game.setup ?? { hands: game.players.map((player) => player?.hand), bag: game.bag };
  game.removed = left;
  const setupEntry = setup && {
    board: setup.board.map(placement),
    hands: revealed && setup.hands ? setup.hands.map((hand) => hand && named(hand)) : null,
    bag: revealed && setup.bag ? named(setup.bag) : null,
    hand_counts: position.hands.map((hand) => hand.length),
    bag_count: position.bag.length,
    scores: setup.scores,
    turn: setup.turn,
  };
  return { game, entry: { type: "created", seat: null, players: entrants, setup: setupEntry } };
}

const playerEntry = ({ name, age, bot }) => ({ name, age_rank: age, bot });

function readSetup(given, revealed) {
  const tiles = (names, most) => names && readList(names, most).map(tileFromName);
  const board = readPlacements(readList(read(given, "board"), MAX_TILES));
  const scores = read(given, "scores");
  if (scores !== null) readList(scores, MAX_SEATS);
  const turn = read(given, "turn");
  for (const number of [...(scores ?? []), turn ?? 0]) {
    if (!isInteger(number) || number < 0) throw malformed("this is not a score or a seat");
  }
  if (board.some(([cell]) => Math.max(Math.abs(rowOf(cell)), Math.abs(columnOf(cell))) > MAX_SETUP_COORDINATE)) {
    throw malformed("a cell of the setup is too far from the centre");
  }
  if (!revealed) {
    const counts = readList(read(given, "hand_counts"), MAX_SEATS);
    if (counts.some((count) => count > HAND_SIZE)) throw malformed("a hand holds at most six tiles");
    return hiddenSetup(board, counts, read(given, "bag_count"), scores, turn);
  }
  const listed = read(given, "hands");
  const hands = listed === null ? null : readList(listed, MAX_SEATS).map((hand) => tiles(hand, HAND_SIZE));
  return { setup: { board, hands, bag: tiles(read(given, "bag"), MAX_TILES), scores, turn }, left: [] };
}

/** Automatic bids, which cannot be computed while hands are hidden. */
function declareBids({ record, revealed }, game) {
  if (revealed || !record.auto_bid || game.phase !== "bidding") return;
  const { bids } = record;
  const possible = (length, seat) =>
    isInteger(length) && length >= 1 && length <= Math.min(HAND_SIZE, game.players[seat].hand.length);
  if (!Array.isArray(bids) || bids.length !== game.players.length || !bids.every(possible)) {
    throw new RecordError(0, "malformed", "'bids' must have a possible bid for every seat");
  }
  game.players.forEach((player, seat) => {
    player.bid = bids[seat];
  });
  actions.openIfAllBid(game);
}

function applyJoined(game, event) {
  const player = readPlayer(event);
  const seated = actions.join(game, player, readInteger(read(event, "seat")));
  return { entry: { type: "joined", ...seated, ...playerEntry(player) } };
}

function applyDealt({ revealed }, game) {
  const { hands } = actions.deal(game);
  return { entry: { type: "dealt", seat: null, hands: hands.map((hand) => (revealed ? named(hand) : null)) } };
}

/** What a player did, or what a timeout did for them. */
function applyAction({ revealed }, event, game, type) {
  const [seat, timeout] = [read(event, "seat"), read(event, "timeout")];
  if (!isInteger(seat) || typeof timeout !== "boolean") {
    throw malformed("'seat' must be an integer, and 'timeout' true or false");
  }
  const head = { type, seat, timeout };
  const assumeHand = (wanted) => revealed || dealHidden(game, seat, wanted);
  const open = (tiles) => (revealed ? named(tiles) : null);
  const held = () => (game.players[seat]?.resigned ? [] : (game.players[seat]?.hand ?? []));
  if (type === "bid") {
    const length = readInteger(read(event, "length"));
    assumeHand(handWithLongestLine(length, held().length));
    return { entry: { ...head, ...actions.bid(game, seat, length) } };
  }
  if (type === "played") {
    const placements = readPlacements(readList(read(event, "placements"), HAND_SIZE));
    assumeHand(placements.map(([, tile]) => tile));
    const { placed, points, bonus, drew, lines } = actions.place(game, seat, placements);
    const entry = { ...head, placements: placed.map(placement), points, bonus, drew: open(drew) };
    return { entry, placed, points, bonus, lines };
  }
  if (type === "exchanged") {
    const chosen = readReturned(event, held(), revealed);
    const { returned, drew } = actions.exchange(game, seat, chosen);
    return { entry: { ...head, count: returned.length, returned: open(returned), drew: open(drew) } };
  }
  if (type === "passed") {
    assumeHand(unplayableTiles(game, seat));
    return { entry: { ...head, ...actions.passTurn(game, seat) } };
  }
  if (type === "resigned") return { entry: { ...head, ...actions.resign(game, seat) } };
  throw malformed("unknown event type");
}

function readReturned(event, hand, revealed) {
  if (revealed) return readList(read(event, "returned"), HAND_SIZE).map(tileFromName);
  const count = readInteger(read(event, "count"));
  if (count < 1 || count > HAND_SIZE) throw malformed("an exchange takes one to six tiles");
  return hand.slice(0, count);
}

const named = (tiles) => tiles.map((tile) => TILE_NAMES[tile]);
const placement = ([cell, tile]) => ({ tile: TILE_NAMES[tile], x: columnOf(cell), y: rowOf(cell) });

// Comparing

function requireSame(n, actual, expected) {
  const where = difference(actual, expected, "");
  if (where !== null) throw new RecordError(n, "differs", `${where || "it"} is wrong`);
}

/** The path of the first difference, or null. */
function difference(actual, expected, path) {
  if (Array.isArray(expected) || isObject(expected)) {
    if (Array.isArray(actual) !== Array.isArray(expected) || typeof actual !== "object" || actual === null) {
      return path;
    }
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const both = Object.hasOwn(actual, key) && Object.hasOwn(expected, key);
      const inside = both ? difference(actual[key], expected[key], path ? `${path}/${key}` : key) : `${path}/${key}`;
      if (inside !== null) return inside;
    }
    return null;
  }
  return actual === expected ? null : path;
}

/** The totals of the record must agree with its events. */
function requireTotals({ record, revealed }, game, joins) {
  requireAgeRanks(joins);
  if (revealed && game.phase !== "finished") {
    throw new RecordError(game.version, "cut_short", "the seed is revealed, but the game is not over");
  }
  if ((record.commitment === null) !== (game.phase === "waiting")) {
    throw new RecordError(0, "differs", "'commitment' must be null only while the game is waiting");
  }
  const rest = Object.fromEntries(Object.entries(record).filter(([key]) => !HEADER_MEMBERS.includes(key)));
  requireSame(0, rest, {
    bids: game.players.map((player) => player && player.bid),
    scores: game.players.map((player) => player && player.score),
    end: game.end,
    winners: game.winners,
  });
  const { digest, ...others } = record;
  const bytes = new TextEncoder().encode(canonicalJson(others));
  if (digest !== `sha256:${hexOf(sha256(bytes))}`) {
    throw new RecordError(0, "digest_broken", "the digest does not match the record");
  }
}

/** A record ranks ages, and only of the players seated at the start. */
function requireAgeRanks(joins) {
  let seated = new Map();
  const all = [];
  for (const { n, entry, started } of joins) {
    const players = entry.type === "created" ? entry.players : entry.type === "joined" ? [entry] : [];
    players.forEach((player, at) => {
      const seating = { n, player };
      seated.set(entry.seat ?? at, seating);
      all.push(seating);
    });
    if (entry.type === "resigned") seated.delete(entry.seat);
    if (started) break;
  }
  if (!joins.at(-1).started) seated = new Map();
  const ages = [...seated.values()].map(({ player }) => player.age_rank).filter((age) => age !== null);
  const order = [...new Set(ages)].sort((one, other) => one - other);
  for (const seating of all) {
    const counts = [...seated.values()].includes(seating) && seating.player.age_rank !== null;
    const rank = counts ? order.indexOf(seating.player.age_rank) : null;
    if (seating.player.age_rank !== rank) {
      throw new RecordError(seating.n, "differs", "age_rank is wrong");
    }
  }
}

/** RFC 8785: sorted members, no whitespace. */
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(",")}}`;
}
