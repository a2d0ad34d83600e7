// The visible part of the board: its centre in cells, and the pixels per cell.

const MAX_SCALE = 120;
const MIN_SCALE = 14;
const BUTTONS_WIDTH = 52; // pixels covered by the buttons on the right

export class Viewport {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 64;
    this.width = 1;
    this.height = 1;
    /** Whether the user has moved the view; until then it follows the tiles. */
    this.movedByUser = false;
  }

  /** The viewBox of an SVG whose cells are 100 wide. */
  viewBox() {
    const wide = (this.width / this.scale) * 100;
    const high = (this.height / this.scale) * 100;
    return `${this.x * 100 - wide / 2} ${this.y * 100 - high / 2} ${wide} ${high}`;
  }

  /** Pixels to cells. */
  toCell(px, py) {
    return [
      this.x + (px - this.width / 2) / this.scale,
      this.y + (py - this.height / 2) / this.scale,
    ];
  }

  /** Cells to pixels. */
  toPixel(x, y) {
    return [
      (x - this.x) * this.scale + this.width / 2,
      (y - this.y) * this.scale + this.height / 2,
    ];
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.movedByUser = true;
  }

  /** Zooms around a pixel. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.toCell(px, py);
    this.scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y - (py - this.height / 2) / this.scale;
    this.movedByUser = true;
  }

  /** Shows all of these cells with a margin. */
  fit(cells) {
    const xs = cells.map((cell) => cell.x);
    const ys = cells.map((cell) => cell.y);
    const [left, right] = cells.length ? [Math.min(...xs), Math.max(...xs)] : [0, 0];
    const [top, bottom] = cells.length ? [Math.min(...ys), Math.max(...ys)] : [0, 0];
    this.y = (top + bottom + 1) / 2;
    const wide = (this.width - BUTTONS_WIDTH) / (right - left + 1 + 2.2);
    const high = this.height / (bottom - top + 1 + 2.2);
    this.scale = Math.min(76, Math.max(MIN_SCALE, Math.min(wide, high)));
    this.x = (left + right + 1) / 2 + BUTTONS_WIDTH / 2 / this.scale;
    this.movedByUser = false;
  }

  /** Moves just far enough to show a cell. */
  reveal({ x, y }) {
    const [px, py] = this.toPixel(x + 0.5, y + 0.5);
    const edge = this.scale;
    if (px < edge) this.x -= (edge - px) / this.scale;
    if (px > this.width - edge) this.x += (px - this.width + edge) / this.scale;
    if (py < edge) this.y -= (edge - py) / this.scale;
    if (py > this.height - edge) this.y += (py - this.height + edge) / this.scale;
  }
}
