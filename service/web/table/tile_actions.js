// What is done with tiles, by pointer and by keys.

import { drag } from "./drag.js";
import { say, toast } from "./dom.js";
import { t, tileName } from "./i18n.js";

const BESIDE = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
];

export class Moving {
  constructor(table, dock) {
    this.table = table;
    this.dock = dock;
  }

  get placing() {
    return this.table.placing;
  }

  /** Cells worth pointing at while a tile is in hand: beside what lies there. */
  openCells() {
    const { game } = this.table;
    if (this.placing.selected === null) return [];
    const lying = [...game.board, ...this.placing.laid];
    if (!lying.length) return [{ x: 0, y: 0 }];
    const taken = new Set(lying.map(({ x, y }) => `${x},${y}`));
    const found = new Map();
    for (const { x, y } of lying) {
      for (const [dx, dy] of BESIDE) {
        const cell = { x: x + dx, y: y + dy };
        if (!taken.has(`${cell.x},${cell.y}`)) found.set(`${cell.x},${cell.y}`, cell);
      }
    }
    return [...found.values()];
  }

  freeCell(x, y) {
    const cell = this.table.board.cellAt(x, y);
    const taken =
      cell && this.table.game.board.some((each) => each.x === cell.x && each.y === cell.y);
    const stage = document.elementFromPoint(x, y)?.closest(".stage");
    return cell && !taken && stage ? cell : null;
  }

  pick(slot, byKey) {
    if (this.table.busy || this.table.game.status !== "playing") return;
    this.placing.pick(slot);
    const chosen = this.placing.selected === slot;
    if (chosen) say(t("hand.chosen", { tile: tileName(this.placing.hand[slot]) }));
    if (chosen && byKey) this.table.board.element.focus({ preventScroll: true });
  }

  dropped(slot, x, y) {
    const { table, placing } = this;
    table.board.hover(null);
    if (table.busy || table.game.status !== "playing" || placing.giving) return;
    const cell = this.freeCell(x, y);
    if (cell) placing.put(slot, cell);
    else if (placing.at(slot)) placing.takeBack(placing.at(slot));
  }

  /** A tap or Enter on a cell: lays the chosen tile, or takes back the one there. */
  chooseCell(cell) {
    const { placing, table } = this;
    if (table.busy || table.replay || placing.giving) return;
    if (placing.selected !== null) this.lay(placing.selected, cell);
    else this.back(cell);
  }

  lay(slot, cell) {
    const tile = tileName(this.placing.hand[slot]);
    if (this.placing.put(slot, cell)) say(t("hand.laid", { tile, ...cell }));
    else toast(t("hand.not_free"));
  }

  back(cell) {
    const tile = this.placing.takeBack(cell);
    if (tile) say(t("hand.taken_back", { tile: tileName(tile.tile) }));
  }

  /** A finger on a laid tile drags it. */
  lift(cell, event) {
    const tile = this.placing.on(cell);
    if (!tile || this.table.busy) return false;
    const { board } = this.table;
    drag(event, tile.tile, {
      size: board.camera.scale,
      over: (x, y) => board.hover(this.freeCell(x, y)),
      drop: (x, y) => this.dropped(tile.slot, x, y),
      tap: () => this.chooseCell(cell),
    });
    return true;
  }

  /** Keys for the whole table; typing in a field is left alone. */
  key(event) {
    const { table, placing } = this;
    if (
      !table.game ||
      event.defaultPrevented ||
      event.altKey ||
      document.querySelector("dialog[open]")
    )
      return;
    if (event.target.closest("input, select, textarea")) return;
    const slot = Number(event.key) - 1;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (!this.dock.buttons.play.disabled && !this.dock.buttons.play.hidden) this.dock.play();
    } else if (event.ctrlKey || event.metaKey) return;
    else if (slot >= 0 && slot < placing.hand.length) this.slotKey(slot);
    else if (event.key === "Backspace" || event.key === "Delete")
      this.back(placing.on(table.board.cursor) ? table.board.cursor : undefined);
    else if (event.key === "Escape") placing.giving ? placing.exchange(false) : placing.clear();
    else if (event.key.toLowerCase() === "h" && !this.dock.buttons.hint.hidden) table.hint();
    else return;
    event.preventDefault();
  }

  /** A number lays that tile where the cursor is, if the board has it. */
  slotKey(slot) {
    const { board, game } = this.table;
    if (game.status !== "playing" || this.table.busy) return;
    if (
      document.activeElement === board.element &&
      !this.placing.giving &&
      !this.placing.at(slot)
    ) {
      this.lay(slot, { ...board.cursor });
    } else this.pick(slot, false);
  }
}
