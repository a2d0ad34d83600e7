// Deals that nobody outside can tell from the true one, for games still going on: any way of
// handing out the unseen tiles that agrees with what was done is as good as another.

import { HAND_SIZE, WHOLE_BAG, byNumber, fitsOn, malformed, missingFrom } from "./rules.js";

/** A set-up with so many unseen tiles in hands and bag, and the tiles left over. */
export function setUp(board, counts, bagCount, scores, turn) {
  const fits = fitsOn(new Map(board));
  const unseen = missingFrom(board.map(([, tile]) => tile), WHOLE_BAG);
  const tiles = [...unseen.filter(fits), ...unseen.filter((tile) => !fits(tile))];
  const numbers = [...counts, bagCount];
  if (!numbers.every((count) => Number.isInteger(count) && count >= 0)) {
    throw malformed("what stands for a number of tiles is none");
  }
  if (numbers.reduce((sum, count) => sum + count, 0) > tiles.length) {
    throw malformed("there are not as many tiles as the hands and the bag are said to hold");
  }
  const hands = counts.map((count) => tiles.splice(0, count));
  const bag = tiles.splice(0, bagCount);
  return { setup: { board, hands, bag, scores, turn }, left: tiles };
}

/** Hands the unseen tiles out so that a seat holds the wanted ones, if there is such a way. */
export function holding(game, seat, wanted) {
  const player = game.players[seat];
  const unseen = grouped(unseenOf(game));
  if (!player || player.resigned || wanted.length > player.hand.length) return;
  if (missingFrom(unseen, wanted).length) return;
  const rest = missingFrom(wanted, unseen);
  const more = rest.splice(0, player.hand.length - wanted.length);
  player.hand = [...wanted, ...more].sort(byNumber);
  for (const other of game.players) {
    if (other && other !== player) other.hand = rest.splice(0, other.hand.length);
  }
  game.bag = rest.splice(0, game.bag.length);
  game.removed = rest;
}

const unseenOf = (game) => [
  ...game.bag,
  ...game.removed,
  ...game.players.flatMap((player) => player?.hand ?? []),
];

/** The tiles with copies side by side, in the order in which each kind first comes. */
const grouped = (tiles) =>
  [...new Set(tiles)].flatMap((kind) => tiles.filter((tile) => tile === kind));

/** A hand of a size whose longest line has a length, if there is one. */
export function withLongestLine(length, size) {
  const kinds = length === 1 ? [0, 7] : [0, 1, 2, 3, 4, 5].slice(0, Math.max(0, length));
  return [...kinds, ...kinds, ...kinds].slice(0, Math.min(size, HAND_SIZE));
}

/** As many tiles as a seat holds, of those unseen that fit nowhere, if there are so many. */
export function withoutPlay(game, seat) {
  const fits = fitsOn(game.board);
  const player = game.players[seat];
  const held = player && !player.resigned ? player.hand.length : 0;
  return unseenOf(game).filter((tile) => !fits(tile)).slice(0, held);
}
