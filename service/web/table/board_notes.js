// Words and numbers on the board: broken rules beside their cells, points at the ends of lines.

import { h } from "./dom.js";
import { hasText, t } from "./i18n.js";

const key = ({ x, y }) => `${x},${y}`;

/** A broken rule in a few words that fit between tiles; the service's sentences are longer. */
function faultText({ code, detail }) {
  return hasText(`fault.${code}`) ? t(`fault.${code}`) : detail;
}

export class BoardNotes {
  constructor(board) {
    this.board = board;
    this.placed = [];
    this.element = h("div", { class: "notes" });
  }

  /** Broken rules beside their cells, points at the ends of lines. */
  draw(broken, lines) {
    const faults = new Map();
    for (const fault of broken) {
      // At one of the player's own tiles, each fault at a different one if possible.
      const own = fault.cells.filter((cell) => this.board.cells.get(key(cell))?.laid);
      const place = own.find((cell) => !faults.has(key(cell))) ?? own[0] ?? fault.cells[0];
      if (!place) continue;
      const there = faults.get(key(place)) ?? { cell: place, words: [] };
      there.words.push(h("li", { title: fault.detail }, faultText(fault)));
      faults.set(key(place), there);
    }
    const words = [...faults.values()].map(({ cell, words: list }) => ({
      cell,
      element: h("ul", { class: "note fault" }, ...list),
    }));
    const points = lines.map(({ cells, points: count, qwirkle }) => ({
      cell: cells[cells.length - 1],
      down: cells.length > 1 && cells[0].x === cells[1].x,
      element: h(
        "p",
        { class: qwirkle ? "note points qwirkle" : "note points", "aria-hidden": "true" },
        `${count}`,
      ),
    }));
    this.placed = [...words, ...points];
    this.element.replaceChildren(...this.placed.map((each) => each.element));
  }

  /** Puts the notes where the viewport shows their cells. */
  place() {
    const { viewport } = this.board;
    const taken = [];
    for (const { cell, down, element } of this.placed) {
      const fault = element.classList.contains("fault");
      const [dx, dy] = fault ? [0.5, 1.1] : down ? [0.5, 1.25] : [1.25, 0.5];
      let [px, py] = viewport.toPixel(cell.x + dx, cell.y + dy);
      if (fault) {
        const { offsetWidth, offsetHeight } = element;
        px = Math.min(Math.max(px - offsetWidth / 2, 8), viewport.width - offsetWidth - 8);
        // Below the tile if there is room, otherwise above it.
        const high = py + offsetHeight > viewport.height - 8;
        if (high) py = Math.max(8, py - 1.2 * viewport.scale - offsetHeight);
        // Notes that would overlap are stacked.
        for (const other of taken) {
          const apart =
            px + offsetWidth < other.left || px > other.right || py + offsetHeight < other.top;
          if (!apart && py < other.bottom) py = other.bottom + 6;
        }
        taken.push({ left: px, top: py, right: px + offsetWidth, bottom: py + offsetHeight });
      }
      if (!fault)
        element.style.fontSize = `${Math.min(16, Math.max(10, viewport.scale * 0.4))}px`;
      element.style.left = `${px}px`;
      element.style.top = `${py}px`;
    }
  }
}
