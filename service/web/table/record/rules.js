// Tiles, lines and plays: which placements are legal, and what they score.
// A tile is the number of its kind, a cell is y * ROW_STEP + x, a board maps cells to tiles.

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"];
const SHAPES = ["circle", "square", "diamond", "star", "clover", "cross"];
export const TILE_NAMES = COLOURS.flatMap((colour) => SHAPES.map((shape) => `${colour}-${shape}`));
export const WHOLE_BAG = TILE_NAMES.flatMap((_, tile) => [tile, tile, tile]);
export const HAND_SIZE = 6;
const MAX_LINE = 6;
const POINTS = [0, 0, 2, 3, 4, 5, 12];
const MAX_COORDINATE = 1000;
const ROW_STEP = 4096;
const AXES = [1, ROW_STEP];

/** `code` names the broken rule. */
export class RuleError extends Error {
  constructor(code, detail = `broken rule: ${code}`) {
    super(detail);
    this.code = code;
  }
}

export const malformed = (detail) => new RuleError("malformed", detail);
export const byNumber = (one, other) => one - other;
export const { isInteger } = Number;

export function tileFromName(name) {
  const tile = typeof name === "string" ? TILE_NAMES.indexOf(name) : -1;
  if (tile < 0) throw malformed("unknown tile");
  return tile;
}

export function cellAt(x, y) {
  const within = (value) => isInteger(value) && Math.abs(value) <= MAX_COORDINATE;
  if (!within(x) || !within(y)) throw malformed("unknown cell");
  return y * ROW_STEP + x;
}

export const rowOf = (cell) => Math.floor((cell + ROW_STEP / 2) / ROW_STEP);
export const columnOf = (cell) => cell - rowOf(cell) * ROW_STEP;
export const neighbours = (cell) => [cell - 1, cell + 1, cell - ROW_STEP, cell + ROW_STEP];

const colourOf = (tile) => Math.floor(tile / 6);
const shapeOf = (tile) => tile % 6;

const shareColourOrShape = (tiles) =>
  tiles.every((tile) => colourOf(tile) === colourOf(tiles[0])) ||
  tiles.every((tile) => shapeOf(tile) === shapeOf(tiles[0]));

const isLine = (tiles) => new Set(tiles).size === tiles.length && shareColourOrShape(tiles);

/** The unbroken run of tiles from a cell on in one direction. */
function runFrom(board, cell, step) {
  const tiles = [];
  for (let at = cell; board.has(at); at += step) tiles.push(board.get(at));
  return tiles;
}

/** The length of the longest line these tiles can form; copies count once. */
export function longestLine(tiles) {
  const kinds = [...new Set(tiles)];
  const most = (property) =>
    Math.max(...[0, 1, 2, 3, 4, 5].map((each) => kinds.filter((t) => property(t) === each).length));
  return Math.max(most(colourOf), most(shapeOf));
}

/** A function: does this tile fit somewhere on the board? */
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

/** The lines of two or more tiles through the laid cells. */
function linesOf(board, laid) {
  const lines = new Map();
  for (const cell of laid) {
    for (const step of AXES) {
      let start = cell;
      while (board.has(start - step)) start -= step;
      const tiles = runFrom(board, start, step);
      if (tiles.length > 1) lines.set(`${start} ${step}`, { start, step, tiles });
    }
  }
  const lowest = (one, other) => one.start - other.start || one.step - other.step;
  return [...lines.values()].sort(lowest);
}

function lineFaults({ tiles }) {
  const faults = [];
  if (tiles.length > MAX_LINE) faults.push("line_too_long");
  if (new Set(tiles).size < tiles.length) faults.push("line_repeats_tile");
  if (!shareColourOrShape(tiles)) faults.push("line_mixed");
  return faults;
}

export const hasValidLines = (board) => !linesOf(board, board.keys()).flatMap(lineFaults).length;

/** The wanted tiles that are not in the hand. */
export function missingTiles(hand, wanted) {
  const rest = [...hand];
  return wanted.filter((tile) => {
    const at = rest.indexOf(tile);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

// The first broken rule in this order is the one reported.
const PRECEDENCE = [
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

function positionFaults(board, laid) {
  const cells = [...laid.keys()];
  if (cells.length === 1) return [];
  const rows = new Set(cells.map(rowOf));
  if (rows.size > 1 && new Set(cells.map(columnOf)).size > 1) return ["not_in_one_line"];
  const step = rows.size === 1 ? 1 : ROW_STEP;
  for (let cell = cells[0]; cell < cells.at(-1); cell += step) {
    if (!laid.has(cell) && !board.has(cell)) return ["line_has_gap"];
  }
  return [];
}

/** The play: its placements in reading order, its lines, its points. */
export function checkPlay(board, placements, hand, opening) {
  if (!placements.length) throw malformed("a play has one to six tiles");
  const placed = [...placements].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const laid = new Map(placed);
  const cells = [...laid.keys()];
  const faults = positionFaults(board, laid);
  if (missingTiles(hand, placed.map(([, tile]) => tile)).length) faults.push("tiles_not_in_hand");
  if (cells.some((cell) => board.has(cell))) faults.push("cell_occupied");
  if (laid.size < placed.length) faults.push("cell_repeated");
  if (opening === null) {
    if (!cells.flatMap(neighbours).some((cell) => board.has(cell))) faults.push("not_touching");
  } else {
    if (laid.size !== opening) faults.push("opening_not_longest");
    if (!laid.has(0)) faults.push("opening_off_centre");
  }
  const lines = linesOf(new Map([...laid, ...board]), cells);
  faults.push(...lines.flatMap(lineFaults));
  if (faults.length) throw new RuleError(PRECEDENCE.find((code) => faults.includes(code)));
  const scored = lines.map(({ start, step, tiles }) => ({
    cells: tiles.map((_, at) => ({ x: columnOf(start + at * step), y: rowOf(start + at * step) })),
    points: POINTS[tiles.length],
    qwirkle: tiles.length === MAX_LINE,
  }));
  return { placed, lines: scored, points: scored.reduce((sum, line) => sum + line.points, 0) };
}
