// The empty cells that suit a tile. The service decides; this only shows where it is worth trying.

const STEPS = [
  [1, 0],
  [0, 1],
];
const MAX_LINE = 6;
const at = (x, y) => `${x},${y}`;

/** The cells where the tile fits, next to what lies on the board and in line with what is laid. */
export function openCells(tile, board, laid) {
  const lying = new Map([...board, ...laid].map((each) => [at(each.x, each.y), each.tile]));
  if (!lying.size) return [{ x: 0, y: 0 }];
  const found = new Map();
  for (const { x, y } of [...board, ...laid]) {
    for (const [dx, dy] of STEPS) {
      for (const cell of [{ x: x + dx, y: y + dy }, { x: x - dx, y: y - dy }]) {
        if (!lying.has(at(cell.x, cell.y))) found.set(at(cell.x, cell.y), cell);
      }
    }
  }
  return [...found.values()].filter((cell) => inLine(cell, laid) && fits(tile, cell, lying));
}

function inLine({ x, y }, laid) {
  return laid.every((each) => each.x === x) || laid.every((each) => each.y === y);
}

function fits(tile, { x, y }, lying) {
  return STEPS.every(([dx, dy]) => {
    const line = [...run(lying, x, y, dx, dy), ...run(lying, x, y, -dx, -dy)];
    return line.length < MAX_LINE && line.every((other) => alike(tile, other)) && isLine([tile, ...line]);
  });
}

function run(lying, x, y, dx, dy) {
  const tiles = [];
  for (let step = 1; lying.has(at(x + step * dx, y + step * dy)); step += 1) {
    tiles.push(lying.get(at(x + step * dx, y + step * dy)));
  }
  return tiles;
}

const parts = (tile) => tile.split("-");
const alike = (one, other) => one !== other && parts(one).some((part, side) => part === parts(other)[side]);

function isLine(tiles) {
  return [0, 1].some((side) => new Set(tiles.map((tile) => parts(tile)[side])).size === 1);
}
