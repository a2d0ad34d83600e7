// The actions of a game: who may do what when, what each action does, how the game ends.
// Each changes the game it gets and returns what the record says about it.

import { unseenTiles } from "./consistent_deal.js";
import { shuffle } from "./shuffle.js";
import {
  HAND_SIZE,
  RuleError,
  WHOLE_BAG,
  byNumber,
  fitsOn,
  hasValidLines,
  checkPlay,
  longestLine,
  malformed,
  missingTiles,
  neighbours,
} from "./rules.js";

const TIE_BREAKERS = { schmidt: Math.min, travel: Math.min, polish: Math.max, russian: Math.max };
const COPIES = 3;
const ENDING_BONUS = 6;
const MAX_EVENTS = 2000;
const MAX_WAITING_EVENTS = 200;

/** A new game, from the position `setup` if given. */
export function create(seed, players, { seats, edition, autoBid, setup }) {
  if (!(seats >= 2 && seats <= 4) || players.length > seats) {
    throw malformed("a game has two to four seats, and no more players than seats");
  }
  if (typeof edition !== "string" || !Object.hasOwn(TIE_BREAKERS, edition)) throw malformed("unknown edition");
  const game = {
    seed, edition, autoBid, setup: null, phase: "waiting", version: 1, board: new Map(), laid: [],
    bag: [], removed: [], turn: 0, mover: null, opening: false, end: null, winners: null,
    players: Array.from({ length: seats }, (_, seat) => players[seat] ?? null),
  };
  if (setup) {
    game.setup = resolveSetup(setup, seats, seed);
    game.board = new Map(setup.board);
    game.laid = setup.board.map(() => 0);
    game.bag = game.setup.bag;
    startIfFull(game);
  }
  return game;
}

export const newPlayer = (name, age, bot) => ({
  name, age, bot, hand: [], score: 0, bid: null, resigned: false, passed: false,
});

/** The full starting position; what the setup leaves open is drawn as by a shuffle at event 1. */
function resolveSetup({ board, hands, bag, scores, turn }, seats, seed) {
  const impossible = new RuleError("setup_impossible");
  const given = hands ?? Array(seats).fill(null);
  const tiles = [...board.map(([, tile]) => tile), ...given.flatMap((hand) => hand ?? [])];
  const counted = [...tiles, ...(bag ?? [])];
  if (
    given.length !== seats ||
    (scores && scores.length !== seats) ||
    (turn !== null && (!board.length || turn >= seats)) ||
    counted.some((tile) => counted.filter((other) => other === tile).length > COPIES) ||
    !isReachableBoard(board)
  ) {
    throw impossible;
  }
  let rest = bag ?? shuffle(missingTiles(tiles, WHOLE_BAG), seed, 1);
  const full = given.map((hand) => {
    const drawn = hand ?? rest.slice(0, HAND_SIZE);
    if (!hand) rest = rest.slice(HAND_SIZE);
    return [...drawn].sort(byNumber);
  });
  const fits = fitsOn(new Map(board));
  if (
    full.some((hand) => !hand.length || (hand.length < HAND_SIZE && rest.length)) ||
    (board.length && ![...full.flat(), ...rest].some(fits))
  ) {
    throw impossible;
  }
  return { hands: full, bag: rest, scores: scores ?? Array(seats).fill(0), turn: turn ?? 0 };
}

/** Whether all tiles are connected and every line is valid. */
function isReachableBoard(placements) {
  const board = new Map(placements);
  const reached = new Set();
  const edge = placements.slice(0, 1).map(([cell]) => cell);
  while (edge.length) {
    const cell = edge.pop();
    if (!board.has(cell) || reached.has(cell)) continue;
    reached.add(cell);
    edge.push(...neighbours(cell));
  }
  return reached.size === placements.length && hasValidLines(board);
}

function startIfFull(game) {
  if (!game.setup || game.players.includes(null)) return;
  const { hands, scores, turn } = game.setup;
  game.setup = null;
  game.players.forEach((player, seat) => {
    player.hand = hands[seat];
    player.score = scores[seat];
  });
  if (game.board.size) Object.assign(game, { phase: "playing", turn: 1, mover: turn });
  else startBidding(game);
}

function startBidding(game) {
  game.phase = "bidding";
  if (!game.autoBid) return;
  for (const player of game.players) player.bid = longestLine(player.hand);
  openIfAllBid(game);
}

const isActive = (player) => player !== null && player !== undefined && !player.resigned;
const active = (game) => game.players.filter(isActive);

/** The highest bid opens; the edition says whose age breaks a tie. */
export function openIfAllBid(game) {
  const bidders = active(game);
  if (bidders.some((player) => player.bid === null)) return;
  const highest = Math.max(...bidders.map((player) => player.bid));
  const tied = bidders.filter((player) => player.bid === highest);
  const known = tied.every((player) => player.age !== null);
  const age = TIE_BREAKERS[game.edition](...tied.map((player) => player.age));
  const first = known ? tied.find((player) => player.age === age) : tied[0];
  const mover = game.players.indexOf(first);
  Object.assign(game, { phase: "playing", turn: 1, mover, opening: true });
}

function requirePhase(game, phase) {
  if (game.phase !== phase) throw new RuleError("wrong_phase");
}

function requireSeat(game, seat, phase) {
  requirePhase(game, phase);
  if (!isActive(game.players[seat])) throw new RuleError("wrong_phase");
  return game.players[seat];
}

function requireTurn(game, seat) {
  const player = requireSeat(game, seat, "playing");
  if (game.version >= MAX_EVENTS) throw new RuleError("game_too_long");
  if (game.mover !== seat) throw new RuleError("not_your_turn");
  return player;
}

/** A player takes an open seat. */
export function join(game, player, seat) {
  if (!game.players.includes(null)) throw new RuleError("table_full");
  requirePhase(game, "waiting");
  if (game.version >= MAX_WAITING_EVENTS) throw new RuleError("game_too_long");
  if (game.players[seat] !== null) throw new RuleError("table_full");
  game.version += 1;
  game.players[seat] = player;
  startIfFull(game);
  return { seat };
}

/** Shuffles all 108 tiles; each player draws six. */
export function deal(game) {
  requirePhase(game, "waiting");
  if (game.players.includes(null)) throw new RuleError("seats_open");
  game.version += 1;
  const bag = shuffle(WHOLE_BAG, game.seed, game.version);
  for (const player of game.players) player.hand = bag.splice(0, HAND_SIZE).sort(byNumber);
  game.bag = bag;
  const hands = game.players.map((player) => player.hand);
  startBidding(game);
  return { hands };
}

/** A player states the exact length of the longest line in their hand. */
export function bid(game, seat, length) {
  const player = requireSeat(game, seat, "bidding");
  if (player.bid !== null) throw new RuleError("already_bid");
  const longest = longestLine(player.hand);
  if (length !== longest) throw new RuleError(length > longest ? "bid_too_high" : "bid_too_low");
  game.version += 1;
  player.bid = length;
  openIfAllBid(game);
  return { length };
}

/** A player places tiles, scores and draws. */
export function place(game, seat, placements) {
  const player = requireTurn(game, seat);
  const opening = game.opening ? player.bid : null;
  const { placed, lines, points } = checkPlay(game.board, placements, player.hand, opening);
  const bonus = !game.bag.length && placed.length === player.hand.length ? ENDING_BONUS : 0;
  const drew = game.bag.slice(0, placed.length);
  game.version += 1;
  game.bag = game.bag.slice(placed.length);
  game.board = new Map([...game.board, ...placed]);
  game.laid = [...game.laid, ...placed.map(() => game.turn)];
  game.opening = false;
  player.hand = refilled(player.hand, placed.map(([, tile]) => tile), drew);
  player.score += points + bonus;
  for (const each of game.players) each.passed = false;
  if (!player.hand.length) finish(game, "hand_empty");
  else if (!unseenTiles(game).some(fitsOn(game.board))) finish(game, "blocked");
  else nextTurn(game);
  return { placed, points, bonus, drew, lines };
}

/** A player draws first, then returns tiles to the bag, which is shuffled. */
export function exchange(game, seat, tiles) {
  const player = requireTurn(game, seat);
  const returned = [...tiles].sort(byNumber);
  if (!returned.length) throw malformed("an exchange takes one to six tiles");
  if (missingTiles(player.hand, returned).length) throw new RuleError("tiles_not_in_hand");
  if (game.opening) throw new RuleError("must_open");
  if (!game.bag.length) throw new RuleError("bag_empty");
  if (returned.length > game.bag.length) throw new RuleError("exchange_exceeds_bag");
  const drew = game.bag.slice(0, returned.length);
  game.version += 1;
  game.bag = shuffle([...game.bag.slice(returned.length), ...returned], game.seed, game.version);
  player.hand = refilled(player.hand, returned, drew);
  nextTurn(game);
  return { returned, drew };
}

/** A player who can neither place nor exchange passes. */
export function passTurn(game, seat) {
  const player = requireTurn(game, seat);
  if (game.opening) throw new RuleError("must_open");
  if (player.hand.some(fitsOn(game.board))) throw new RuleError("must_play");
  if (game.bag.length) throw new RuleError("must_exchange");
  game.version += 1;
  player.passed = true;
  if (!finishIfAllPassed(game)) nextTurn(game);
  return {};
}

/** A player leaves: before the start the seat opens again, later the hand goes into the bag. */
export function resign(game, seat) {
  if (game.phase === "finished") throw new RuleError("wrong_phase");
  const player = requireSeat(game, seat, game.phase);
  game.version += 1;
  if (game.phase === "waiting") {
    game.players[seat] = null;
    return {};
  }
  if (game.bag.length) game.bag = shuffle([...game.bag, ...player.hand], game.seed, game.version);
  else game.removed = [...game.removed, ...player.hand];
  Object.assign(player, { hand: [], resigned: true });
  if (active(game).length === 1) finish(game, "last_player");
  else if (game.phase === "bidding" || (game.opening && game.mover === seat)) openIfAllBid(game);
  else if (!finishIfAllPassed(game) && game.mover === seat) game.mover = nextActive(game, seat);
  return {};
}

const refilled = (hand, gone, drew) => [...missingTiles(gone, hand), ...drew].sort(byNumber);

function nextActive(game, seat) {
  const seats = game.players.length;
  let next = (seat + 1) % seats;
  while (!isActive(game.players[next])) next = (next + 1) % seats;
  return next;
}

function nextTurn(game) {
  game.turn += 1;
  game.mover = nextActive(game, game.mover);
}

function finishIfAllPassed(game) {
  if (!active(game).every((player) => player.passed)) return false;
  finish(game, "all_passed");
  return true;
}

function finish(game, end) {
  const most = Math.max(...active(game).map((player) => player.score));
  const wins = (player) => isActive(player) && player.score === most;
  const winners = game.players.flatMap((player, seat) => (wins(player) ? [seat] : []));
  Object.assign(game, { phase: "finished", mover: null, end, winners });
}
