// The position that a setup gives.

import { HAND_SIZE, RuleError, WHOLE_BAG, byNumber, fitsOn, hasValidLines, missingTiles, neighbours } from "./rules.js";
import { shuffle } from "./shuffle.js";

const COPIES = 3;

/** The full starting position; what the setup leaves open is drawn as by a shuffle at event 1. */
export function resolveSetup({ board, hands, bag, scores, turn }, seats, seed) {
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
