// The table itself: tiles, cells to choose, lines and refusals, seen through a camera.

import { Camera } from "./viewport.js";
import { h, set, svg } from "./dom.js";
import { listen } from "./gestures.js";
import { tileParts } from "./tiles.js";
import { known, t, tileName } from "./i18n.js";

const key = ({ x, y }) => `${x},${y}`;

/** A broken rule in few words, since it stands among the tiles; the service has the long ones. */
function faultWords({ code, detail }) {
  return known(`fault.${code}`) ? t(`fault.${code}`) : detail;
}

export class Board {
  /** `act` has `cell(cell)`, `lift(cell, event)`, `key(event)` and `spoken(text)`. */
  constructor(act) {
    this.act = act;
    this.camera = new Camera();
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
    this.notes = h("div", { class: "notes" });
    this.element = h(
      "div",
      { class: "board", role: "application", tabindex: "0", id: "board" },
      this.drawing,
      this.notes,
    );
    this.watcher = new ResizeObserver(() => this.measure());
    this.watcher.observe(this.element);
    listen(this);
    this.element.addEventListener("focus", () => {
      // Whoever uses a mouse needs no cursor.
      if (!this.element.matches(":focus-visible")) return;
      this.drawCursor();
      this.speak();
    });
    this.element.addEventListener("blur", () => this.layers.cursor.replaceChildren());
  }

  /** The language has changed, or it is shown first. */
  name() {
    set(this.element, "aria-label", t("board.label"));
    set(this.element, "aria-roledescription", t("board.role"));
  }

  close() {
    this.watcher.disconnect();
  }

  measure() {
    const { clientWidth, clientHeight } = this.element;
    const first = this.camera.width === 1;
    Object.assign(this.camera, { width: clientWidth || 1, height: clientHeight || 1 });
    if (first || !this.camera.held) this.camera.fit(this.extent());
    this.look();
  }

  /** Puts the picture where the camera is. */
  look() {
    const box = this.camera.viewBox();
    set(this.drawing, "viewBox", box);
    const [left, top, wide, high] = box.split(" ").map(Number);
    set(this.ground, "x", left);
    set(this.ground, "y", top);
    set(this.ground, "width", wide);
    set(this.ground, "height", high);
    this.placeNotes();
  }

  extent() {
    return this.cells.size
      ? [...this.cells.values()]
      : [
          { x: -2, y: -1 },
          { x: 2, y: 1 },
        ];
  }

  fit() {
    this.camera.fit(this.extent());
    this.look();
  }

  /**
   * Shows a position. `tiles` lie there, `fresh` names the last play's cells, `laid` are those
   * of the player's that are not played yet, `open` are cells worth pointing at.
   */
  show({ tiles, fresh = new Set(), laid = [], open = [], lines = [], faults = [] }) {
    const before = this.cells.size;
    this.cells = new Map(tiles.map((each) => [key(each), each]));
    for (const each of laid) this.cells.set(key(each), { ...each, laid: true });
    this.drawTiles(fresh, new Set(faults.flatMap((fault) => fault.cells.map(key))));
    this.drawMarks(open);
    this.drawLines(lines);
    this.notesShown = faults;
    this.lineNotes = lines;
    this.drawNotes();
    const outside = [...this.cells.values()].some((cell) => !this.inView(cell));
    if (this.cells.size !== before && !this.camera.held && outside) this.fit();
    else if (before === 0 && this.cells.size && !this.camera.held) this.fit();
    else this.look();
  }

  inView({ x, y }) {
    const [px, py] = this.camera.above(x + 0.5, y + 0.5);
    const edge = this.camera.scale * 0.9;
    return (
      px > edge && py > edge && px < this.camera.width - edge && py < this.camera.height - edge
    );
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
      set(piece, "class", marks.join(" "));
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

  /** Refusals in words at their cells, points at the ends of lines. */
  drawNotes() {
    const faults = new Map();
    for (const fault of this.notesShown) {
      // At a tile of the player's own; each fault at another one as long as there are any.
      const own = fault.cells.filter((cell) => this.cells.get(key(cell))?.laid);
      const place = own.find((cell) => !faults.has(key(cell))) ?? own[0] ?? fault.cells[0];
      if (!place) continue;
      const there = faults.get(key(place)) ?? { cell: place, words: [] };
      there.words.push(h("li", { title: fault.detail }, faultWords(fault)));
      faults.set(key(place), there);
    }
    const words = [...faults.values()].map(({ cell, words: list }) => ({
      cell,
      element: h("ul", { class: "note fault" }, ...list),
    }));
    const points = this.lineNotes.map(({ cells, points: count, qwirkle }) => ({
      cell: cells[cells.length - 1],
      down: cells.length > 1 && cells[0].x === cells[1].x,
      element: h(
        "p",
        { class: qwirkle ? "note points qwirkle" : "note points", "aria-hidden": "true" },
        `${count}`,
      ),
    }));
    this.noted = [...words, ...points];
    this.notes.replaceChildren(...this.noted.map((each) => each.element));
  }

  placeNotes() {
    const taken = [];
    for (const { cell, down, element } of this.noted ?? []) {
      const fault = element.classList.contains("fault");
      const [dx, dy] = fault ? [0.5, 1.1] : down ? [0.5, 1.25] : [1.25, 0.5];
      let [px, py] = this.camera.above(cell.x + dx, cell.y + dy);
      if (fault) {
        const { offsetWidth, offsetHeight } = element;
        px = Math.min(Math.max(px - offsetWidth / 2, 8), this.camera.width - offsetWidth - 8);
        // Below the tile where there is room, above it otherwise.
        const high = py + offsetHeight > this.camera.height - 8;
        if (high) py = Math.max(8, py - 1.2 * this.camera.scale - offsetHeight);
        // One below the other, should they meet.
        for (const other of taken) {
          const apart =
            px + offsetWidth < other.left || px > other.right || py + offsetHeight < other.top;
          if (!apart && py < other.bottom) py = other.bottom + 6;
        }
        taken.push({ left: px, top: py, right: px + offsetWidth, bottom: py + offsetHeight });
      }
      if (!fault)
        element.style.fontSize = `${Math.min(16, Math.max(10, this.camera.scale * 0.4))}px`;
      element.style.left = `${px}px`;
      element.style.top = `${py}px`;
    }
  }

  /** The cell under a point of the screen; null if that is not on the board. */
  cellAt(clientX, clientY) {
    const box = this.element.getBoundingClientRect();
    const [px, py] = [clientX - box.left, clientY - box.top];
    if (px < 0 || py < 0 || px > box.width || py > box.height) return null;
    const [x, y] = this.camera.under(px, py);
    return { x: Math.floor(x), y: Math.floor(y) };
  }

  /** Points at the cell that a dragged tile would fall on; null: none. */
  hover(cell) {
    this.layers.marks.querySelector(".hover")?.remove();
    if (!cell) return;
    const shape = { x: cell.x * 100 + 3, y: cell.y * 100 + 3, width: 94, height: 94, rx: 17 };
    this.layers.marks.append(svg("rect", { class: "hover", ...shape }));
  }

  moveCursor(dx, dy) {
    this.cursor = { x: this.cursor.x + dx, y: this.cursor.y + dy };
    this.camera.reveal(this.cursor);
    this.look();
    this.drawCursor();
    this.speak();
  }

  drawCursor() {
    const { x, y } = this.cursor;
    const shape = { x: x * 100 - 2, y: y * 100 - 2, width: 104, height: 104, rx: 20 };
    this.layers.cursor.replaceChildren(svg("rect", { class: "here", ...shape }));
  }

  /** Tells what is under the cursor. */
  speak() {
    const cell = this.cells.get(key(this.cursor));
    const what = cell ? tileName(cell.tile) : t("board.empty");
    const where = { ...this.cursor, what };
    this.act.spoken(t(cell?.laid ? "board.cell_laid" : "board.cell", where));
  }
}
