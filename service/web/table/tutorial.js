// The tutorial: five steps, each one move on a real board with the real rules.

import { Board } from "./board.js";
import { dialog, h, announce, setText } from "./dom.js";
import { drag } from "./drag.js";
import { hasText, t, tileName } from "./i18n.js";
import { openCells } from "./open_cells.js";
import { cellAt, checkPlay, tileFromName } from "./record/rules.js";
import { tileSvg } from "./tiles.js";

const row = (y, from, ...tiles) => tiles.map((tile, at) => ({ tile, x: from + at, y }));

// Each step: what lies on the board, what is in the hand, and which play completes it.
const STEPS = [
  {
    name: "line",
    board: row(0, 0, "red-circle", "red-star"),
    hand: ["red-square", "blue-clover"],
    done: ({ points }) => points >= 3,
  },
  {
    name: "both",
    board: [...row(0, 0, "green-circle", "green-star"), ...row(1, 0, "blue-circle")],
    hand: ["blue-star", "red-cross"],
    done: ({ lines }) => lines.length === 2,
  },
  {
    name: "score",
    board: row(0, 0, "yellow-star", "purple-star", "green-star"),
    hand: ["red-star", "blue-star"],
    done: ({ points }) => points >= 5,
  },
  {
    name: "qwirkle",
    board: row(0, 0, "orange-circle", "orange-square", "orange-diamond", "orange-star", "orange-clover"),
    hand: ["orange-cross", "red-circle"],
    done: ({ lines }) => lines.some((line) => line.qwirkle),
  },
  { name: "exchange", board: row(0, 0, "red-circle", "red-star"), hand: ["blue-square", "green-cross"] },
];

/** Opens the tutorial. */
export function openTutorial() {
  return new Tutorial();
}

class Tutorial {
  constructor() {
    this.text = h("p", { class: "question" });
    this.words = h("p", { class: "tutorial-words", role: "status" });
    this.rack = h("div", { class: "rack", role: "group", "aria-label": t("hand.label") });
    this.next = h("button", { type: "button", class: "primary wide", onclick: () => this.forward() });
    this.board = new Board({
      cell: (cell) => (this.selected === null ? this.takeBack(cell) : this.put(this.selected, cell)),
      target: (x, y) => this.target(x, y),
      startDrag: () => false,
      announce,
      viewChanged: () => {},
    });
    this.box = dialog(
      t("tutorial.title"),
      t("menu.close"),
      this.text,
      h("div", { class: "tutorial-board" }, this.board.element),
      this.words,
      this.rack,
      this.next,
    );
    this.box.classList.add("tutorial");
    this.box.addEventListener("close", () => this.board.close());
    this.step = -1;
    this.forward();
  }

  forward() {
    this.step += 1;
    if (this.step === STEPS.length) return void this.box.close();
    const { name, board, hand } = STEPS[this.step];
    Object.assign(this, { tiles: [...board], laid: [], hand: [...hand], selected: null, lines: [] });
    this.faults = [];
    setText(this.text, `${this.step + 1}/${STEPS.length} ${t(`tutorial.${name}`)}`);
    setText(this.words, "");
    setText(this.next, t(this.step === STEPS.length - 1 ? "tutorial.end" : "tutorial.next"));
    this.next.disabled = Boolean(STEPS[this.step].done);
    this.show();
    return undefined;
  }

  show() {
    const open = this.selected === null ? [] : openCells(this.hand[this.selected], this.tiles, this.laid);
    this.board.setLabels();
    this.board.show({ tiles: this.tiles, laid: this.laid, open, lines: this.lines, faults: this.faults });
    this.rack.replaceChildren(...this.hand.map((tile, slot) => this.button(tile, slot)));
  }

  button(tile, slot) {
    const on = slot === this.selected;
    const button = h(
      "button",
      { type: "button", class: on ? "slot on" : "slot", "aria-pressed": String(on), "aria-label": tileName(tile) },
      tileSvg(tile),
    );
    const pick = () => {
      this.selected = on ? null : slot;
      if (!STEPS[this.step].done) this.exchange(slot);
      else this.show();
    };
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      drag(event, tile, {
        size: () => this.board.viewport.scale,
        drop: (x, y) => this.put(slot, this.target(x, y, slot)),
        tap: pick,
      });
    });
    button.addEventListener("click", (event) => event.detail === 0 && pick());
    return button;
  }

  /** The cell that a point of the screen means for a tile. */
  target(x, y, slot = this.selected) {
    const cell = this.board.cellAt(x, y);
    if (!cell || slot === null) return cell;
    const near = (open) => Math.abs(open.x - cell.x) + Math.abs(open.y - cell.y) === 0;
    return openCells(this.hand[slot], this.tiles, this.laid).find(near) ?? cell;
  }

  /** Lays a tile if the rules allow it, and says why if they do not. */
  put(slot, cell) {
    if (slot === null || !cell || !STEPS[this.step].done) return;
    const laid = [...this.laid, { tile: this.hand[slot], ...cell }];
    const placed = laid.map((each) => [cellAt(each.x, each.y), tileFromName(each.tile)]);
    const lying = new Map(this.tiles.map((each) => [cellAt(each.x, each.y), tileFromName(each.tile)]));
    this.selected = null;
    try {
      const play = checkPlay(lying, placed, placed.map(([, tile]) => tile), null);
      Object.assign(this, { laid, lines: play.lines, faults: [] });
      this.hand.splice(slot, 1);
      const done = STEPS[this.step].done(play);
      setText(this.words, t("status.would_score", { count: play.points }));
      if (done) this.succeed();
    } catch ({ code }) {
      const text = hasText(`fault.${code}`) ? t(`fault.${code}`) : t("tutorial.wrong");
      setText(this.words, text);
    }
    this.show();
  }

  takeBack({ x, y }) {
    const tile = this.laid.find((each) => each.x === x && each.y === y);
    if (!tile || !this.next.disabled) return;
    this.laid = this.laid.filter((each) => each !== tile);
    this.hand.push(tile.tile);
    this.lines = [];
    this.show();
  }

  /** The last step: tiles that do not fit go back into the bag. */
  exchange(slot) {
    this.hand[slot] = slot ? "red-diamond" : "red-square";
    this.selected = null;
    setText(this.words, t("tutorial.exchanged"));
    this.show();
  }

  succeed() {
    this.next.disabled = false;
    this.next.focus();
    setText(this.words, `${this.words.textContent} ${t("tutorial.right")}`);
  }
}
