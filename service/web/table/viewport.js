// Where the view of the table is: its middle in cells, and how many pixels a cell takes.

const CLOSEST = 120;
const FARTHEST = 14;
const CORNER = 52; // pixels at the right that the buttons take

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 64;
    this.width = 1;
    this.height = 1;
    /** Whether the player has chosen the view; until then it follows the tiles. */
    this.held = false;
  }

  /** The piece of the table that is seen, for an SVG whose cells are 100 wide. */
  viewBox() {
    const wide = (this.width / this.scale) * 100;
    const high = (this.height / this.scale) * 100;
    return `${this.x * 100 - wide / 2} ${this.y * 100 - high / 2} ${wide} ${high}`;
  }

  /** The point of the table, in cells, under a pixel. */
  under(px, py) {
    return [
      this.x + (px - this.width / 2) / this.scale,
      this.y + (py - this.height / 2) / this.scale,
    ];
  }

  /** The pixel above a point of the table. */
  above(x, y) {
    return [
      (x - this.x) * this.scale + this.width / 2,
      (y - this.y) * this.scale + this.height / 2,
    ];
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.held = true;
  }

  /** Zooms so that what is under the pixel stays there. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.under(px, py);
    this.scale = Math.min(CLOSEST, Math.max(FARTHEST, this.scale * factor));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y - (py - this.height / 2) / this.scale;
    this.held = true;
  }

  /** Shows all of these cells with room around them. */
  fit(cells) {
    const xs = cells.map((cell) => cell.x);
    const ys = cells.map((cell) => cell.y);
    const [left, right] = cells.length ? [Math.min(...xs), Math.max(...xs)] : [0, 0];
    const [top, bottom] = cells.length ? [Math.min(...ys), Math.max(...ys)] : [0, 0];
    this.y = (top + bottom + 1) / 2;
    const wide = (this.width - CORNER) / (right - left + 1 + 2.2);
    const high = this.height / (bottom - top + 1 + 2.2);
    this.scale = Math.min(76, Math.max(FARTHEST, Math.min(wide, high)));
    this.x = (left + right + 1) / 2 + CORNER / 2 / this.scale;
    this.held = false;
  }

  /** Moves just far enough that a cell is in view. */
  reveal({ x, y }) {
    const [px, py] = this.above(x + 0.5, y + 0.5);
    const edge = this.scale;
    if (px < edge) this.x -= (edge - px) / this.scale;
    if (px > this.width - edge) this.x += (px - this.width + edge) / this.scale;
    if (py < edge) this.y -= (edge - py) / this.scale;
    if (py > this.height - edge) this.y += (py - this.height + edge) / this.scale;
  }
}
