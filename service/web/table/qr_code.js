// Draws a text as a QR code: byte mode, error correction M, versions 1 to 10.

import { svg } from "./dom.js";

// By version: error correction bytes per block, then the data bytes of each block.
const BLOCKS = [
  null, [10, 16], [16, 28], [26, 44], [18, 32, 32], [24, 43, 43], [16, 27, 27, 27, 27],
  [18, 31, 31, 31, 31], [22, 38, 38, 39, 39], [22, 36, 36, 36, 37, 37], [26, 43, 43, 43, 43, 44],
]; // prettier-ignore
const ALIGNMENT = [null, [], [18], [22], [26], [30], [34], [22, 38], [24, 42], [26, 46], [28, 50]];
const QUIET_ZONE = 4;
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The code as an SVG image with a name; null if the text is too long. */
export function qrSvg(text, name) {
  const modules = qrModules(text);
  if (!modules) return null;
  const size = modules.length + 2 * QUIET_ZONE;
  const path = modules.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`] : [])),
  );
  const box = { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": name };
  return svg(
    "svg",
    { ...box, "shape-rendering": "crispEdges" },
    svg("rect", { class: "qr-light", width: size, height: size }),
    svg("path", { class: "qr-dark", d: path.join("") }),
  );
}

/** Rows of modules, true for dark; null if the text is too long. */
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((each, at) => each && bytes.length <= capacity(each, at));
  if (version < 0) return null;
  const grid = new Grid(version);
  grid.fill(codewords(bytes, version));
  const tries = MASKS.map((_, mask) => grid.masked(mask));
  const penalties = tries.map(penalty);
  return tries[penalties.indexOf(Math.min(...penalties))];
}

const dataBytes = ([, ...blocks]) => blocks.reduce((sum, size) => sum + size, 0);
const lengthBits = (version) => (version < 10 ? 8 : 16);
const capacity = (blocks, version) => dataBytes(blocks) - (version < 10 ? 2 : 3);

/** The data and its error correction, interleaved, as bits. */
function codewords(bytes, version) {
  const [correction, ...sizes] = BLOCKS[version];
  const bits = [...binary(4, 4), ...binary(bytes.length, lengthBits(version))];
  for (const byte of bytes) bits.push(...binary(byte, 8));
  const room = dataBytes(BLOCKS[version]) * 8;
  bits.push(...Array(Math.min(4, room - bits.length)).fill(0));
  while (bits.length % 8) bits.push(0);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) bits.push(...binary(pad, 8));
  let at = 0;
  const blocks = sizes.map((size) =>
    Array.from({ length: size }, () => parseInt(bits.slice(at, (at += 8)).join(""), 2)),
  );
  const codes = blocks.map((block) => remainder(block, correction));
  return [...interleaved(blocks), ...interleaved(codes)].flatMap((byte) => binary(byte, 8));
}

const binary = (number, length) =>
  Array.from({ length }, (_, bit) => (number >> (length - 1 - bit)) & 1);

function interleaved(blocks) {
  const longest = Math.max(...blocks.map((block) => block.length));
  const columns = Array.from({ length: longest }, (_, at) => blocks.map((block) => block[at]));
  return columns.flat().filter((byte) => byte !== undefined);
}

// Reed–Solomon codes over GF(256) with the polynomial 0x11d.

const EXP = [];
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP.push(value);
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
const times = (a, b) => (a && b ? EXP[(EXP.indexOf(a) + EXP.indexOf(b)) % 255] : 0);

function remainder(block, degree) {
  let generator = [1];
  for (let power = 0; power < degree; power += 1) {
    const shifted = [...generator, 0];
    generator = shifted.map((value, at) => value ^ (at ? times(generator[at - 1], EXP[power]) : 0));
  }
  const rest = [...block, ...Array(degree).fill(0)];
  for (let at = 0; at < block.length; at += 1) {
    const lead = rest[at];
    generator.forEach((value, step) => (rest[at + step] ^= times(value, lead)));
  }
  return rest.slice(block.length);
}

/** A remainder of binary polynomials, for the format and version information. */
function checkBits(value, polynomial, degree) {
  let rest = value << degree;
  for (let bit = 31 - Math.clz32(rest); rest >> degree; bit = 31 - Math.clz32(rest)) {
    rest ^= polynomial << (bit - degree);
  }
  return (value << degree) | rest;
}

class Grid {
  constructor(version) {
    this.version = version;
    this.size = 17 + 4 * version;
    const rows = (value) => Array.from({ length: this.size }, () => Array(this.size).fill(value));
    this.dark = rows(false);
    this.fixed = rows(false);
    this.drawPatterns();
  }

  set(x, y, dark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y][x] = Boolean(dark);
    this.fixed[y][x] = true;
  }

  drawPatterns() {
    const last = this.size - 7;
    for (let at = 0; at < this.size; at += 1) {
      this.set(6, at, at % 2 === 0);
      this.set(at, 6, at % 2 === 0);
    }
    for (const [left, top] of [[0, 0], [last, 0], [0, last]]) this.square(left + 3, top + 3, 4, [2, 4]);
    const centres = [6, ...ALIGNMENT[this.version]];
    for (const x of ALIGNMENT[this.version].length ? centres : []) {
      for (const y of centres) if (!this.fixed[y][x] || x === 6 || y === 6) this.alignment(x, y);
    }
    this.drawFormat(0);
    this.drawVersion();
  }

  alignment(x, y) {
    const corner = (a, b) => a === 6 && (b === 6 || b === this.size - 7);
    if (!corner(x, y) && !corner(y, x)) this.square(x, y, 2, [1]);
  }

  /** Concentric squares; `light` are the distances from the centre that are light. */
  square(cx, cy, radius, light) {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) {
        this.set(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  }

  drawFormat(mask) {
    // Level M is 00, so the data is the mask alone.
    const bits = binary(checkBits(mask, 0x537, 10) ^ 0x5412, 15);
    const end = this.size - 1;
    bits.forEach((bit, at) => {
      this.set(at < 6 ? at : at < 8 ? at + 1 : 8, at < 8 ? 8 : at === 8 ? 7 : 14 - at, bit);
      this.set(at < 7 ? 8 : end - 14 + at, at < 7 ? end - at : 8, bit);
    });
    this.set(8, this.size - 8, true);
  }

  drawVersion() {
    if (this.version < 7) return;
    const bits = binary(checkBits(this.version, 0x1f25, 12), 18).reverse();
    bits.forEach((bit, at) => {
      const [far, near] = [this.size - 11 + (at % 3), Math.floor(at / 3)];
      this.set(far, near, bit);
      this.set(near, far, bit);
    });
  }

  /** Lays the bits in columns of two, upwards and downwards in turn. */
  fill(bits) {
    let at = 0;
    let up = true;
    for (let right = this.size - 1; right > 0; right -= 2, up = !up) {
      if (right === 6) right -= 1;
      for (let step = 0; step < this.size; step += 1) {
        const y = up ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (!this.fixed[y][x]) this.dark[y][x] = Boolean(bits[at++]);
        }
      }
    }
  }

  masked(mask) {
    this.drawFormat(mask);
    return this.dark.map((row, y) =>
      row.map((dark, x) => (this.fixed[y][x] ? dark : dark !== MASKS[mask](x, y))),
    );
  }
}

/** How hard a code is to read: long runs, blocks, patterns like finders, unequal shares. */
function penalty(rows) {
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  let sum = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map(Number).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    for (const pattern of ["10111010000", "00001011101"]) sum += 40 * (text.split(pattern).length - 1);
  }
  for (let y = 1; y < rows.length; y += 1) {
    for (let x = 1; x < rows.length; x += 1) {
      const dark = rows[y][x];
      if (rows[y - 1][x] === dark && rows[y][x - 1] === dark && rows[y - 1][x - 1] === dark) sum += 3;
    }
  }
  const share = (rows.flat().filter(Boolean).length / rows.length ** 2) * 100;
  return sum + 10 * Math.floor(Math.abs(share - 50) / 5);
}
