// Verifies a game record without the service: replays every event and compares the outcome
// with what the record says, as docs/records.md and docs/fairness.md describe.

import { applyEvent, named, placement } from "./apply_event.js";
import { HEADER_MEMBERS, MAX_TILES, RecordError, isObject, readHeader } from "./read.js";
import { RuleError } from "./rules.js";
import { digestOf } from "./shuffle.js";

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
  return {
    n: entry.n,
    seat: entry.seat,
    status: game.phase,
    board: [...game.board].map((placed, at) => ({ ...placement(placed), turn: game.laid[at] })),
    placements: outcome.placed?.map(placement) ?? [],
    scores: game.players.map((player) => player && player.score),
    hands: revealed ? game.players.map((player) => player && named(player.hand)) : null,
    bag_count: game.phase === "waiting" && !game.bag.length ? MAX_TILES : game.bag.length,
    lines: outcome.lines ?? [],
    points: outcome.points ?? 0,
    bonus: outcome.bonus ?? 0,
    end: game.end,
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

function requireSame(n, actual, expected) {
  const where = difference(actual, expected, "");
  if (where !== null) throw new RecordError(n, "differs", `${where || "it"} is wrong`);
}

/** The path of the first difference, or null. */
function difference(actual, expected, path) {
  if (actual === expected) return null;
  const alike = isObject(expected) ? isObject : Array.isArray;
  if (!alike(expected) || !alike(actual)) return path;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const both = Object.hasOwn(actual, key) && Object.hasOwn(expected, key);
    const inside = both ? difference(actual[key], expected[key], path ? `${path}/${key}` : key) : `${path}/${key}`;
    if (inside !== null) return inside;
  }
  return null;
}

/** The totals of the record must agree with its events. */
function requireTotals({ record, revealed }, game, joins) {
  requireAgeRanks(joins);
  requireHiddenEntropy(joins);
  if (revealed && game.phase !== "finished") {
    throw new RecordError(game.version, "cut_short", "the seed is revealed, but the game is not over");
  }
  const rest = Object.fromEntries(Object.entries(record).filter(([key]) => !HEADER_MEMBERS.includes(key)));
  requireSame(0, rest, {
    bids: game.players.map((player) => player && player.bid),
    scores: game.players.map((player) => player && player.score),
    end: game.end,
    winners: game.winners,
  });
  const { digest, ...others } = record;
  if (digest !== digestOf(new TextEncoder().encode(canonicalJson(others)))) {
    throw new RecordError(0, "digest_broken", "the digest does not match the record");
  }
}

/** A record ranks ages, and only of the players seated at the start. */
function requireAgeRanks(joins) {
  const seated = new Map();
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
  if (!joins.at(-1).started) seated.clear();
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

/** Nobody sees what others added while it can still be added to. */
function requireHiddenEntropy(joins) {
  if (joins.at(-1).started) return;
  const shown = joins.find(({ entry }) => (entry.entropy ?? null) !== null);
  if (shown) throw new RecordError(shown.n, "differs", "entropy is shown before the start");
}

/** RFC 8785: sorted members, no whitespace. */
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(",")}}`;
}
