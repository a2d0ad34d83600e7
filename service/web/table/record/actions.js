// The actions of a game: who may do what when, what each action does, how the game ends.
// Each changes the game it gets and returns what the record says about it.

import { unseenTiles } from "./deal_hidden_tiles.js";
import { drawLot, seedOf, shuffle } from "./shuffle.js";
import { resolveSetup } from "./starting_position.js";
import {
  HAND_SIZE,
  RuleError,
  WHOLE_BAG,
  byNumber,
  fitsOn,
  checkPlay,
  longestLine,
  malformed,
  missingTiles,
} from "./rules.js";

const TIE_BREAKERS = {
  schmidt: Math.min, travel: Math.min, polish: Math.max, english: Math.max, russian: Math.max,
};
const ENDING_BONUS = 6;
const MAX_EVENTS = 2000;
const MAX_WAITING_EVENTS = 200;
const MAX_ENTROPY = 64;

/** A new game, from the position `setup` if given. */
export function create(secret, players, { seats, edition, autoBid, setup }) {
  if (!(seats >= 2 && seats <= 4) || players.length > seats) {
    throw malformed("a game has two to four seats, and no more players than seats");
  }
  if (typeof edition !== "string" || !Object.hasOwn(TIE_BREAKERS, edition)) throw malformed("unknown edition");
  const game = {
    secret, seed: secret, entropy: [], edition, autoBid, setup, phase: "waiting", version: 1, board: new Map(), laid: [],
    bag: [], removed: [], turn: 0, mover: null, opening: false, end: null, winners: null,
    players: Array.from({ length: seats }, (_, seat) => players[seat] ?? null),
  };
  if (setup) {
    game.bag = resolveSetup(setup, seats, secret).bag;
    game.board = new Map(setup.board);
    game.laid = setup.board.map(() => 0);
    startIfFull(game);
  }
  return game;
}

export const newPlayer = (name, age, bot) => ({
  name, age, bot, hand: [], score: 0, bid: null, resigned: false, passed: false,
});

function startIfFull(game) {
  if (!game.setup || game.players.includes(null)) return;
  fixSeed(game);
  const { hands, bag, scores, turn } = resolveSetup(game.setup, game.players.length, game.seed);
  Object.assign(game, { setup: null, bag });
  game.players.forEach((player, seat) => {
    player.hand = hands[seat];
    player.score = scores[seat];
  });
  if (game.board.size) Object.assign(game, { phase: "playing", turn: 1, mover: turn });
  else startBidding(game);
}

/** What a joiner or the host adds to the draws. */
function addEntropy(game, text) {
  if (text === null) return;
  const right = typeof text === "string" && [...text].length <= MAX_ENTROPY && !/\p{Surrogate}/u.test(text);
  if (!right) throw malformed(`entropy must be a text of at most ${MAX_ENTROPY} characters`);
  game.entropy.push({ event: game.version, text });
}

/** The game starts: from now on nothing is added to the seed. */
function fixSeed(game) {
  game.seed = seedOf(game.secret, game.entropy);
}

function startBidding(game) {
  game.phase = "bidding";
  if (!game.autoBid) return;
  for (const player of game.players) player.bid = longestLine(player.hand);
  openIfAllBid(game);
}

const isActive = (player) => player !== null && player !== undefined && !player.resigned;
const active = (game) => game.players.filter(isActive);

/** The seats that may open: the highest bid, then the age that the edition says, if all gave it. */
export function mayOpen(game) {
  const bidders = active(game);
  const highest = Math.max(...bidders.map((player) => player.bid));
  const tied = bidders.filter((player) => player.bid === highest);
  const known = tied.every((player) => player.age !== null);
  const age = TIE_BREAKERS[game.edition](...tied.map((player) => player.age));
  const first = known ? tied.filter((player) => player.age === age) : tied;
  return first.map((player) => game.players.indexOf(player));
}

/** If several may open, lot decides. */
export function openIfAllBid(game) {
  if (active(game).some((player) => player.bid === null)) return;
  const mover = drawLot(mayOpen(game), game.seed, game.version);
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
export function join(game, player, seat, entropy) {
  if (!game.players.includes(null)) throw new RuleError("table_full");
  requirePhase(game, "waiting");
  if (game.version >= MAX_WAITING_EVENTS) throw new RuleError("game_too_long");
  if (game.players[seat] !== null) throw new RuleError("table_full");
  game.version += 1;
  game.players[seat] = player;
  addEntropy(game, entropy);
  startIfFull(game);
  return { seat, entropy };
}

/** The host gives the waiting table so many seats. */
export function update(game, seats) {
  if (!(seats >= 2 && seats <= 4)) throw malformed("a game has two to four seats");
  requirePhase(game, "waiting");
  if (game.version >= MAX_WAITING_EVENTS) throw new RuleError("game_too_long");
  if (game.setup && seats !== game.players.length) throw new RuleError("setup_impossible");
  if (game.players.slice(seats).some((player) => player !== null)) throw new RuleError("seats_taken");
  game.version += 1;
  game.players = Array.from({ length: seats }, (_, seat) => game.players[seat] ?? null);
  return { seats };
}

/** The host removes a player from the waiting table. */
export function remove(game, seat) {
  requireSeat(game, seat, "waiting");
  game.version += 1;
  game.players[seat] = null;
}

/** Shuffles all 108 tiles; each player draws six. */
export function deal(game, entropy) {
  requirePhase(game, "waiting");
  if (game.players.includes(null)) throw new RuleError("seats_open");
  game.version += 1;
  addEntropy(game, entropy);
  fixSeed(game);
  const bag = shuffle(WHOLE_BAG, game.seed, game.version);
  for (const player of game.players) player.hand = bag.splice(0, HAND_SIZE).sort(byNumber);
  game.bag = bag;
  const hands = game.players.map((player) => player.hand);
  startBidding(game);
  return { hands, entropy };
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
