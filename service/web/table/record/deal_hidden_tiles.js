// Deals for games in progress, whose hands are hidden: any deal of the unseen tiles that is
// consistent with the events will do.

import { HAND_SIZE, WHOLE_BAG, byNumber, fitsOn, malformed, missingTiles } from "./rules.js";

/** A setup with this many unseen tiles in hands and bag, and the tiles left over. */
export function hiddenSetup(board, counts, bagCount, scores, turn) {
  const fits = fitsOn(new Map(board));
  const unseen = missingTiles(board.map(([, tile]) => tile), WHOLE_BAG);
  const tiles = [...unseen.filter(fits), ...unseen.filter((tile) => !fits(tile))];
  const numbers = [...counts, bagCount];
  if (!numbers.every((count) => Number.isInteger(count) && count >= 0)) {
    throw malformed("a number of tiles must be a non-negative integer");
  }
  if (numbers.reduce((sum, count) => sum + count, 0) > tiles.length) {
    throw malformed("hands and bag hold more tiles than there are");
  }
  const hands = counts.map((count) => tiles.splice(0, count));
  const bag = tiles.splice(0, bagCount);
  return { setup: { board, hands, bag, scores, turn }, left: tiles };
}

/** Deals the unseen tiles again so that a seat holds the wanted ones, if possible. */
export function dealHidden(game, seat, wanted) {
  const player = game.players[seat];
  const unseen = groupByKind(unseenTiles(game));
  if (!player || player.resigned || wanted.length > player.hand.length) return;
  if (missingTiles(unseen, wanted).length) return;
  const rest = missingTiles(wanted, unseen);
  const more = rest.splice(0, player.hand.length - wanted.length);
  player.hand = [...wanted, ...more].sort(byNumber);
  for (const other of game.players) {
    if (other && other !== player) other.hand = rest.splice(0, other.hand.length);
  }
  game.bag = rest.splice(0, game.bag.length);
  game.removed = rest;
}

/** Every tile in the bag, in hands and out of play. */
export const unseenTiles = (game) => [
  ...game.bag,
  ...game.removed,
  ...game.players.flatMap((player) => player?.hand ?? []),
];

/** Copies side by side, kinds in order of first appearance. */
const groupByKind = (tiles) =>
  [...new Set(tiles)].flatMap((kind) => tiles.filter((tile) => tile === kind));

/** A hand of this size with a longest line of this length, if there is one. */
export function handWithLongestLine(length, size) {
  const kinds = length === 1 ? [0, 7] : [0, 1, 2, 3, 4, 5].slice(0, Math.max(0, length));
  return [...kinds, ...kinds, ...kinds].slice(0, Math.min(size, HAND_SIZE));
}

/** Unseen tiles that fit nowhere, as many as the seat holds if possible. */
export function unplayableTiles(game, seat) {
  const fits = fitsOn(game.board);
  const player = game.players[seat];
  const held = player && !player.resigned ? player.hand.length : 0;
  return unseenTiles(game).filter((tile) => !fits(tile)).slice(0, held);
}
