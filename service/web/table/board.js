// The board: tiles, open cells, scored lines and broken rules, drawn through a viewport.

import { BoardNotes } from "./board_notes.js";
import { h, setAttr, svg } from "./dom.js";
import { listen } from "./gestures.js";
import { t, tileName } from "./i18n.js";
import { tileParts } from "./tiles.js";
import { PLACING_SCALE, Viewport } from "./viewport.js";

const WITH_NOTE = 1.1; // cells of room, for the points at the end of a line
const key = ({ x, y }) => `${x},${y}`;

export class Board {
  /**
   * `handlers` has `cell(cell)`, `target(x, y)` (the cell that a tap means), `startDrag(cell,
   * event)`, `announce(text)` and `viewChanged()`.
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.viewport = new Viewport();
    this.cursor = { x: 0, y: 0 };
    this.cells = new Map();
    this.pieces = new Map();
    this.layers = {};
    for (const name of ["marks", "tiles", "lines", "cursor"]) {
      this.layers[name] = svg("g", { class: name });
    }
    this.ground = svg("rect", { class: "ground", fill: "url(#dots)" });
    this.drawing = svg(
      "svg",
      { class: "drawing", "aria-hidden": "true" },
      svg(
        "defs",
        {},
        svg(
          "pattern",
          { id: "dots", width: 100, height: 100, patternUnits: "userSpaceOnUse" },
          svg("circle", { class: "dot", cx: 0, cy: 0, r: 2.5 }),
          svg("circle", { class: "dot", cx: 100, cy: 0, r: 2.5 }),
          svg("circle", { class: "dot", cx: 0, cy: 100, r: 2.5 }),
          svg("circle", { class: "dot", cx: 100, cy: 100, r: 2.5 }),
        ),
      ),
      this.ground,
      ...Object.values(this.layers),
    );
    this.notes = new BoardNotes(this);
    this.element = h(
      "div",
      { class: "board", role: "application", tabindex: "0", id: "board" },
      this.drawing,
      this.notes.element,
    );
    this.resizeObserver = new ResizeObserver(() => this.measure());
    this.resizeObserver.observe(this.element);
    listen(this);
    this.element.addEventListener("focus", () => {
      // Mouse users need no cursor.
      if (!this.element.matches(":focus-visible")) return;
      this.drawCursor();
      this.announceCursor();
    });
    this.element.addEventListener("blur", () => this.layers.cursor.replaceChildren());
  }

  /** Sets the accessible names in the current language. */
  setLabels() {
    setAttr(this.element, "aria-label", t("board.label"));
    setAttr(this.element, "aria-roledescription", t("board.role"));
  }

  close() {
    this.resizeObserver.disconnect();
  }

  measure() {
    const { clientWidth, clientHeight } = this.element;
    const first = this.viewport.width === 1;
    Object.assign(this.viewport, { width: clientWidth || 1, height: clientHeight || 1 });
    if (first || !this.viewport.movedByUser) this.viewport.fit(this.extent());
    this.updateView();
  }

  /** Redraws after the viewport has changed. */
  updateView() {
    const box = this.viewport.viewBox();
    setAttr(this.drawing, "viewBox", box);
    const [left, top, wide, high] = box.split(" ").map(Number);
    setAttr(this.ground, "x", left);
    setAttr(this.ground, "y", top);
    setAttr(this.ground, "width", wide);
    setAttr(this.ground, "height", high);
    this.notes.place();
    this.handlers.viewChanged();
  }

  extent() {
    return this.cells.size
      ? [...this.cells.values()]
      : [
          { x: -2, y: -1 },
          { x: 2, y: 1 },
        ];
  }

  /** Shows the whole board. */
  fit() {
    this.viewport.movedByUser = false;
    return this.glide(this.viewport.around(this.extent()));
  }

  glide(target) {
    return this.viewport.glide(target, () => this.updateView());
  }

  /** Moves the camera if one of these cells cannot be seen. */
  follow(cells) {
    if (cells.every((cell) => this.viewport.shows(cell, WITH_NOTE))) return undefined;
    if (!this.viewport.movedByUser) return this.glide(this.viewport.around([...this.extent(), ...cells]));
    return this.glide(this.viewport.nearest(cells, WITH_NOTE));
  }

  /** Whether cells are too small to be played on. */
  get isOverview() {
    return this.viewport.scale < PLACING_SCALE;
  }

  /** Shows these cells as large as a thumb needs. */
  closeUp(cells) {
    this.viewport.movedByUser = true;
    return this.glide(this.viewport.closeUp(cells));
  }

  /** The place of a cell on the screen. */
  cellBox(x, y) {
    const box = this.element.getBoundingClientRect();
    const [left, top] = this.viewport.toPixel(x, y);
    return { left: box.left + left, top: box.top + top, width: this.viewport.scale };
  }

  /** Lets a tile flash once. */
  flash({ x, y }, delay) {
    const cell = this.cells.get(key({ x, y }));
    const piece = cell && this.pieces.get(`${x},${y} ${cell.tile}`);
    const frames = [{}, { transform: "scale(1.25)", filter: "brightness(1.6)" }, {}];
    piece?.firstChild.animate(frames, { duration: 380, delay });
  }

  /**
   * Shows a position. `tiles` are on the board, `fresh` are the cells of the last play, `laid` are
   * the viewer's tiles that are not played yet, `open` are cells to highlight.
   */
  show({ tiles, fresh = new Set(), laid = [], open = [], lines = [], faults = [] }) {
    const before = this.cells.size;
    this.cells = new Map(tiles.map((each) => [key(each), each]));
    for (const each of laid) this.cells.set(key(each), { ...each, laid: true });
    this.drawTiles(fresh, new Set(faults.flatMap((fault) => fault.cells.map(key))));
    this.drawMarks(open);
    this.drawLines(lines);
    this.notes.draw(faults, lines);
    const follows = this.cells.size !== before && !this.viewport.movedByUser;
    const outside = follows && [...this.cells.values()].some((cell) => !this.viewport.shows(cell, WITH_NOTE));
    if (before === 0 && this.cells.size && follows) {
      this.viewport.fit(this.extent());
      this.updateView();
    } else if (outside) this.fit();
    else this.updateView();
  }

  drawTiles(fresh, wrong) {
    const seen = new Set();
    for (const [place, cell] of this.cells) {
      const name = `${place} ${cell.tile}`;
      seen.add(name);
      let piece = this.pieces.get(name);
      if (!piece) {
        const spot = `translate(${cell.x * 100} ${cell.y * 100})`;
        piece = svg("g", { transform: spot }, svg("g", { class: "drop" }, ...tileParts(cell.tile)));
        this.layers.tiles.append(piece);
        this.pieces.set(name, piece);
      }
      const marks = ["piece"];
      if (cell.laid) marks.push("laid");
      if (fresh.has(place)) marks.push("fresh");
      if (wrong.has(place)) marks.push("wrong");
      setAttr(piece, "class", marks.join(" "));
    }
    for (const [name, piece] of this.pieces) {
      if (seen.has(name)) continue;
      piece.remove();
      this.pieces.delete(name);
    }
  }

  drawMarks(open) {
    const middle = { class: "middle", x: 5, y: 5, width: 90, height: 90, rx: 15 };
    this.layers.marks.replaceChildren(
      ...(this.cells.size ? [] : [svg("rect", middle)]),
      ...open.map(({ x, y }) =>
        svg("rect", {
          class: "beside",
          x: x * 100 + 8,
          y: y * 100 + 8,
          width: 84,
          height: 84,
          rx: 15,
        }),
      ),
    );
  }

  drawLines(lines) {
    this.layers.lines.replaceChildren(
      ...lines.map(({ cells, qwirkle }) => {
        const [first, last] = [cells[0], cells[cells.length - 1]];
        return svg("rect", {
          class: qwirkle ? "scored qwirkle" : "scored",
          x: first.x * 100 - 1,
          y: first.y * 100 - 1,
          width: (last.x - first.x + 1) * 100 + 2,
          height: (last.y - first.y + 1) * 100 + 2,
          rx: 22,
        });
      }),
    );
  }

  /** The cell at a point of the screen, or null outside the board. */
  cellAt(clientX, clientY) {
    const box = this.element.getBoundingClientRect();
    const [px, py] = [clientX - box.left, clientY - box.top];
    if (px < 0 || py < 0 || px > box.width || py > box.height) return null;
    const [x, y] = this.viewport.toCell(px, py);
    return { x: Math.floor(x), y: Math.floor(y) };
  }

  /** Highlights the cell where a dragged tile would land; null removes the highlight. */
  hover(cell) {
    this.layers.marks.querySelector(".hover")?.remove();
    if (!cell) return;
    const shape = { x: cell.x * 100 + 3, y: cell.y * 100 + 3, width: 94, height: 94, rx: 17 };
    this.layers.marks.append(svg("rect", { class: "hover", ...shape }));
  }

  moveCursor(dx, dy) {
    this.cursor = { x: this.cursor.x + dx, y: this.cursor.y + dy };
    this.viewport.reveal(this.cursor);
    this.updateView();
    this.drawCursor();
    this.announceCursor();
  }

  drawCursor() {
    const { x, y } = this.cursor;
    const shape = { x: x * 100 - 2, y: y * 100 - 2, width: 104, height: 104, rx: 20 };
    this.layers.cursor.replaceChildren(svg("rect", { class: "here", ...shape }));
  }

  /** Reads the cell under the cursor aloud. */
  announceCursor() {
    const cell = this.cells.get(key(this.cursor));
    const what = cell ? tileName(cell.tile) : t("board.empty");
    const where = { ...this.cursor, what };
    this.handlers.announce(t(cell?.laid ? "board.cell_laid" : "board.cell", where));
  }
}
