// Applies an event of a record to the game, by the rules, and says how the record should tell it.

import * as actions from "./actions.js";
import { dealHidden, handWithLongestLine, unplayableTiles } from "./deal_hidden_tiles.js";
import {
  MAX_SEATS, RecordError, read, readInteger, readList, readPlacements, readReturned, readSetup,
} from "./read.js";
import { HAND_SIZE, TILE_NAMES, columnOf, isInteger, malformed, rowOf } from "./rules.js";
import { resolveSetup } from "./starting_position.js";

export function applyEvent(source, entry, before) {
  const [game, outcome] = apply(source, entry, before);
  assumeOpener(source, game);
  return [game, outcome];
}

function apply(source, entry, game) {
  if (game === null) {
    const outcome = applyCreated(source, entry);
    declareBids(source, outcome.game);
    return [outcome.game, outcome];
  }
  const type = read(entry, "type");
  if (type === "joined" || type === "dealt") {
    const outcome = type === "joined" ? applyJoined(game, entry) : applyDealt(source, game, entry);
    declareBids(source, game);
    return [game, outcome];
  }
  if (type === "updated") {
    const updated = actions.update(game, readInteger(read(entry, "seats")));
    return [game, { entry: { type, seat: null, ...updated } }];
  }
  return [game, applyAction(source, entry, game, type)];
}

function applyCreated(source, entry) {
  if (read(entry, "type") !== "created") throw malformed("the first event must be 'created'");
  const { record, secret, revealed } = source;
  const given = read(entry, "setup");
  const { setup, left } = given === null ? { setup: null, left: [] } : readSetup(given, revealed);
  const players = readList(read(entry, "players"), MAX_SEATS).map(readPlayer);
  const { edition, seats } = record;
  const entrants = players.map(playerEntry);
  const game = actions.create(secret, players, {
    seats: seats === null ? players.length : readInteger(seats),
    edition,
    autoBid: record.auto_bid && revealed,
    setup,
  });
  const position = setup && resolveSetup(setup, game.players.length, secret);
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

function readPlayer(entry) {
  const [name, age, bot] = ["name", "age_rank", "bot"].map((member) => read(entry, member));
  const right =
    typeof name === "string" && (age === null || isInteger(age)) && (bot === null || typeof bot === "string");
  if (!right) throw malformed("this is not a player");
  return actions.newPlayer(name, age, bot);
}

const playerEntry = ({ name, age, bot }) => ({ name, age_rank: age, bot });

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

/** While the seed is hidden so are lots: what a lot can give is whoever played first. */
function assumeOpener({ events, revealed }, game) {
  if (revealed || !game.opening) return;
  const first = events.find((entry) => entry?.type === "played")?.seat;
  if (actions.mayOpen(game).includes(first)) game.mover = first;
}

function applyJoined(game, event) {
  const player = readPlayer(event);
  const [seat, entropy] = [readInteger(read(event, "seat")), read(event, "entropy")];
  const seated = actions.join(game, player, seat, entropy);
  return { entry: { type: "joined", ...seated, ...playerEntry(player) } };
}

function applyDealt({ revealed }, game, event) {
  const { hands, entropy } = actions.deal(game, read(event, "entropy"));
  const shown = hands.map((hand) => (revealed ? named(hand) : null));
  return { entry: { type: "dealt", seat: null, hands: shown, entropy } };
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
  if (type === "resigned") {
    const removed = read(event, "removed") === true;
    if (removed) actions.remove(game, seat);
    else actions.resign(game, seat);
    return { entry: { ...head, timeout: timeout && !removed, removed } };
  }
  throw malformed("unknown event type");
}

export const named = (tiles) => tiles.map((tile) => TILE_NAMES[tile]);
export const placement = ([cell, tile]) => ({ tile: TILE_NAMES[tile], x: columnOf(cell), y: rowOf(cell) });
