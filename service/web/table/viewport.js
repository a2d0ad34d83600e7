// The visible part of the board: its centre in cells, and the pixels per cell.

import { motionReduced } from "./dom.js";

const MAX_SCALE = 120;
const MIN_SCALE = 14;
const FIT_SCALE = 72;
const GLIDE_MS = 260;
/** Smaller cells are too small for a thumb. */
export const PLACING_SCALE = 32;
const CLOSE_SCALE = 46;

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
    this.gliding = null;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.movedByUser = true;
  }

  /** Zooms around a pixel. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    this.gliding = null;
    const [x, y] = this.toCell(px, py);
    this.scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y - (py - this.height / 2) / this.scale;
    this.movedByUser = true;
  }

  /** The view that shows all of these cells with a margin. */
  around(cells) {
    const xs = cells.map((cell) => cell.x);
    const ys = cells.map((cell) => cell.y);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const wide = this.width / (right - left + 1 + 2.2);
    const high = this.height / (bottom - top + 1 + 2.2);
    const scale = Math.min(FIT_SCALE, Math.max(MIN_SCALE, Math.min(wide, high)));
    return { x: (left + right + 1) / 2, y: (top + bottom + 1) / 2, scale };
  }

  /** Shows all of these cells with a margin. */
  fit(cells) {
    Object.assign(this, this.around(cells));
    this.movedByUser = false;
  }

  /** Whether a cell can be seen, with this much room around its middle. */
  shows({ x, y }, room = 0.5) {
    const [px, py] = this.toPixel(x + 0.5, y + 0.5);
    const edge = this.scale * room;
    return px >= edge && py >= edge && px <= this.width - edge && py <= this.height - edge;
  }

  /** The view in which these cells can be played next to, as close as a thumb needs. */
  closeUp(cells) {
    return { ...this.around(cells), scale: CLOSE_SCALE };
  }

  /** Moves smoothly to another view; `draw` draws each step. */
  glide(target, draw) {
    const from = { x: this.x, y: this.y, scale: this.scale };
    const gliding = (this.gliding = Symbol("glide"));
    const started = performance.now();
    return new Promise((done) => {
      const step = (now) => {
        if (gliding !== this.gliding) return done();
        const share = motionReduced() ? 1 : Math.min(1, (now - started) / GLIDE_MS);
        const eased = 1 - (1 - share) ** 3;
        const between = (name) => from[name] + (target[name] - from[name]) * eased;
        Object.assign(this, { x: between("x"), y: between("y"), scale: between("scale") });
        draw();
        if (share < 1) requestAnimationFrame(step);
        else done();
      };
      if (motionReduced() || document.visibilityState !== "visible") step(started + GLIDE_MS);
      else requestAnimationFrame(step);
    });
  }

  /** Moves just far enough to show a cell with this much room around its middle. */
  reveal({ x, y }, room = 1) {
    const [px, py] = this.toPixel(x + 0.5, y + 0.5);
    const edge = this.scale * room;
    if (px < edge) this.x -= (edge - px) / this.scale;
    if (px > this.width - edge) this.x += (px - this.width + edge) / this.scale;
    if (py < edge) this.y -= (edge - py) / this.scale;
    if (py > this.height - edge) this.y += (py - this.height + edge) / this.scale;
  }

  /** The nearest view at this scale that shows all these cells, or one from further away. */
  nearest(cells, room) {
    const view = Object.assign(new Viewport(), this);
    for (const cell of cells) view.reveal(cell, room);
    if (!cells.every((cell) => view.shows(cell, room - 0.01))) Object.assign(view, this.around(cells));
    return { x: view.x, y: view.y, scale: view.scale };
  }
}
