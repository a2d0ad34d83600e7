// Tiles, lines and plays: which placements the rules allow, and what they score.
// A tile is the number of its kind, a cell the number y * DOWN + x, a board a Map of both.

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"];
const SHAPES = ["circle", "square", "diamond", "star", "clover", "cross"];
export const NAMES = COLOURS.flatMap((colour) => SHAPES.map((shape) => `${colour}-${shape}`));
export const WHOLE_BAG = NAMES.flatMap((_, tile) => [tile, tile, tile]);
export const HAND_SIZE = 6;
const LONGEST = 6;
const POINTS = [0, 0, 2, 3, 4, 5, 12];
const REACH = 1000;
const DOWN = 4096;
const AXES = [1, DOWN];

/** What the rules say no to; `code` is the name of the broken rule. */
export class Refused extends Error {
  constructor(code, detail = `the rules refuse it: ${code}`) {
    super(detail);
    this.code = code;
  }
}

export const malformed = (detail) => new Refused("malformed", detail);
export const byNumber = (one, other) => one - other;
export const isWhole = (value) => Number.isInteger(value);

/** The tile of a name. */
export function tileNamed(name) {
  const tile = typeof name === "string" ? NAMES.indexOf(name) : -1;
  if (tile < 0) throw malformed("there is no such tile");
  return tile;
}

/** The cell in a column and a row. */
export function cellAt(x, y) {
  const within = (value) => isWhole(value) && Math.abs(value) <= REACH;
  if (!within(x) || !within(y)) throw malformed("there is no such cell");
  return y * DOWN + x;
}

export const rowOf = (cell) => Math.floor((cell + DOWN / 2) / DOWN);
export const columnOf = (cell) => cell - rowOf(cell) * DOWN;
export const neighbours = (cell) => [cell - 1, cell + 1, cell - DOWN, cell + DOWN];

const colourOf = (tile) => Math.floor(tile / 6);
const shapeOf = (tile) => tile % 6;

/** Whether all tiles share a colour or all share a shape, whatever is there twice. */
const alike = (tiles) =>
  tiles.every((tile) => colourOf(tile) === colourOf(tiles[0])) ||
  tiles.every((tile) => shapeOf(tile) === shapeOf(tiles[0]));

const isLine = (tiles) => new Set(tiles).size === tiles.length && alike(tiles);

/** The tiles that touch one another from a cell on in one way. */
function runFrom(board, cell, way) {
  const tiles = [];
  for (let at = cell; board.has(at); at += way) tiles.push(board.get(at));
  return tiles;
}

/** The length of the longest line that tiles can form: copies count once. */
export function longestLine(tiles) {
  const kinds = [...new Set(tiles)];
  const most = (property) =>
    Math.max(...[0, 1, 2, 3, 4, 5].map((each) => kinds.filter((t) => property(t) === each).length));
  return Math.max(most(colourOf), most(shapeOf));
}

/** A function that tells whether a tile fits some open cell of the board. */
export function fitsOn(board) {
  const open = new Set([...board.keys()].flatMap(neighbours).filter((cell) => !board.has(cell)));
  const spots = [...open].map((cell) =>
    AXES.map((step) => [...runFrom(board, cell - step, -step), ...runFrom(board, cell + step, step)]),
  );
  const known = new Map();
  return (tile) => {
    if (!known.has(tile)) {
      known.set(tile, spots.some((lines) => lines.every((line) => isLine([tile, ...line]))));
    }
    return known.get(tile);
  };
}

/** Every line of two tiles or more that the laid cells form or extend. */
function linesOf(table, laid) {
  const lines = new Map();
  for (const cell of laid) {
    for (const step of AXES) {
      let start = cell;
      while (table.has(start - step)) start -= step;
      const tiles = runFrom(table, start, step);
      if (tiles.length > 1) lines.set(`${start} ${step}`, { start, step, tiles });
    }
  }
  const lowest = (one, other) => one.start - other.start || one.step - other.step;
  return [...lines.values()].sort(lowest);
}

function faultsOfLine({ tiles }) {
  const faults = [];
  if (tiles.length > LONGEST) faults.push("line_too_long");
  if (new Set(tiles).size < tiles.length) faults.push("line_repeats_tile");
  if (!alike(tiles)) faults.push("line_mixed");
  return faults;
}

/** Whether every line on a board is one. */
export const hasTrueLines = (board) => !linesOf(board, board.keys()).flatMap(faultsOfLine).length;

/** The tiles that are wanted but not in the hand. */
export function missingFrom(hand, wanted) {
  const rest = [...hand];
  return wanted.filter((tile) => {
    const at = rest.indexOf(tile);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

// Of several broken rules the first in this order names the refusal.
const ORDER = [
  "tiles_not_in_hand",
  "cell_occupied",
  "cell_repeated",
  "not_in_one_line",
  "line_has_gap",
  "not_touching",
  "line_too_long",
  "line_repeats_tile",
  "line_mixed",
  "opening_not_longest",
  "opening_off_centre",
];

function faultsOfPlace(board, laid) {
  const cells = [...laid.keys()];
  if (cells.length === 1) return [];
  const rows = new Set(cells.map(rowOf));
  if (rows.size > 1 && new Set(cells.map(columnOf)).size > 1) return ["not_in_one_line"];
  const step = rows.size === 1 ? 1 : DOWN;
  for (let cell = cells[0]; cell < cells.at(-1); cell += step) {
    if (!laid.has(cell) && !board.has(cell)) return ["line_has_gap"];
  }
  return [];
}

/** The play that placements make: its placements in reading order, its lines, its points. */
export function judge(board, placements, hand, opening) {
  if (!placements.length) throw malformed("a play has one to six tiles");
  const placed = [...placements].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const laid = new Map(placed);
  const cells = [...laid.keys()];
  const faults = faultsOfPlace(board, laid);
  if (missingFrom(hand, placed.map(([, tile]) => tile)).length) faults.push("tiles_not_in_hand");
  if (cells.some((cell) => board.has(cell))) faults.push("cell_occupied");
  if (laid.size < placed.length) faults.push("cell_repeated");
  if (opening === null) {
    if (!cells.flatMap(neighbours).some((cell) => board.has(cell))) faults.push("not_touching");
  } else {
    if (laid.size !== opening) faults.push("opening_not_longest");
    if (!laid.has(0)) faults.push("opening_off_centre");
  }
  const lines = linesOf(new Map([...laid, ...board]), cells);
  faults.push(...lines.flatMap(faultsOfLine));
  if (faults.length) throw new Refused(ORDER.find((code) => faults.includes(code)));
  const scored = lines.map(({ start, step, tiles }) => ({
    cells: tiles.map((_, at) => ({ x: columnOf(start + at * step), y: rowOf(start + at * step) })),
    points: POINTS[tiles.length],
    qwirkle: tiles.length === LONGEST,
  }));
  return { placed, lines: scored, points: scored.reduce((sum, line) => sum + line.points, 0) };
}
