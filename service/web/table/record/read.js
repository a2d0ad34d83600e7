// Reads a game record: its header, and the parts of its events.

import { bytesOf, digestOf } from "./shuffle.js";
import { hiddenSetup } from "./deal_hidden_tiles.js";
import { HAND_SIZE, cellAt, columnOf, isInteger, malformed, rowOf, tileFromName } from "./rules.js";

export const HEADER_MEMBERS = [
  "record_version", "edition", "seats", "auto_bid", "seeded", "commitment", "seed", "events", "digest",
];
export const MAX_TILES = 108;
export const MAX_SEATS = 4;
const MAX_SETUP_COORDINATE = 500;

/** Event `n` is wrong; 0 stands for the record itself. */
export class RecordError extends Error {
  constructor(n, code, detail) {
    super(detail);
    Object.assign(this, { n, code });
  }
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export function read(value, member) {
  if (!isObject(value)) throw malformed("the entry cannot be read");
  if (!Object.hasOwn(value, member)) throw malformed(`the member '${member}' is missing`);
  return value[member];
}

export function readList(value, most) {
  if (!Array.isArray(value)) throw malformed("this must be a list");
  if (value.length > most) throw malformed(`a list has more than ${most} entries`);
  return value;
}

export function readInteger(value) {
  if (!isInteger(value)) throw malformed("this must be an integer");
  return value;
}

export const readPlacements = (listed) =>
  listed.map((placed) => [
    cellAt(read(placed, "x"), read(placed, "y")),
    tileFromName(read(placed, "tile")),
  ]);

/** Checks the header, and the secret (its `seed`) against the commitment. */
export function readHeader(record) {
  const broken = (detail, code = "malformed") => new RecordError(0, code, detail);
  if (!isObject(record)) throw broken("a record is a JSON object");
  for (const member of HEADER_MEMBERS) {
    if (!Object.hasOwn(record, member)) throw broken(`the member '${member}' is missing`);
    if (member === "record_version" && record[member] !== 1) {
      throw broken("only record version 1 is supported", "unknown_version");
    }
  }
  const { events, seed, commitment } = record;
  if (!Array.isArray(events) || !events.length) {
    throw broken("'events' must be a list that starts with 'created'");
  }
  for (const member of ["auto_bid", "seeded"]) {
    if (typeof record[member] !== "boolean") throw broken(`'${member}' must be true or false`);
  }
  const matches = (pattern, value) => typeof value === "string" && pattern.test(value);
  if (!matches(/^sha256:[0-9a-f]{64}$/, commitment)) {
    throw broken("'commitment' must be sha256: and 64 hex digits");
  }
  if (seed === null) {
    if ((record.end ?? null) !== null) {
      throw broken("a finished game must reveal its seed", "seed_missing");
    }
    return { record, events, secret: new Uint8Array(32), revealed: false };
  }
  if (!matches(/^[0-9a-f]{64}$/, seed)) {
    throw broken("'seed' must be 64 hex digits, or null before the end");
  }
  if (digestOf(bytesOf(seed)) !== commitment) {
    throw broken("the seed does not match the commitment", "commitment_broken");
  }
  return { record, events, secret: bytesOf(seed), revealed: true };
}

export function readSetup(given, revealed) {
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

export function readReturned(event, hand, revealed) {
  if (revealed) return readList(read(event, "returned"), HAND_SIZE).map(tileFromName);
  const count = readInteger(read(event, "count"));
  if (count < 1 || count > HAND_SIZE) throw malformed("an exchange takes one to six tiles");
  return hand.slice(0, count);
}
