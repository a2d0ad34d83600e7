// Selecting, laying and taking back tiles by pointer and keyboard.

import { drag } from "./drag.js";
import { announce, toast } from "./dom.js";
import { t, tileName } from "./i18n.js";

const NEIGHBOURS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
];

export class TileActions {
  constructor(controller, handPanel) {
    this.controller = controller;
    this.handPanel = handPanel;
  }

  get draft() {
    return this.controller.draft;
  }

  /** The empty cells next to tiles, to highlight while a tile is selected. */
  openCells() {
    const { game } = this.controller;
    if (this.draft.selected === null) return [];
    const lying = [...game.board, ...this.draft.laid];
    if (!lying.length) return [{ x: 0, y: 0 }];
    const taken = new Set(lying.map(({ x, y }) => `${x},${y}`));
    const found = new Map();
    for (const { x, y } of lying) {
      for (const [dx, dy] of NEIGHBOURS) {
        const cell = { x: x + dx, y: y + dy };
        if (!taken.has(`${cell.x},${cell.y}`)) found.set(`${cell.x},${cell.y}`, cell);
      }
    }
    return [...found.values()];
  }

  freeCell(x, y) {
    const cell = this.controller.board.cellAt(x, y);
    const taken =
      cell && this.controller.game.board.some((each) => each.x === cell.x && each.y === cell.y);
    const onBoard = document.elementFromPoint(x, y)?.closest(".board-area");
    return cell && !taken && onBoard ? cell : null;
  }

  pick(slot, byKey) {
    if (this.controller.busy || this.controller.game.status !== "playing") return;
    this.draft.pick(slot);
    const chosen = this.draft.selected === slot;
    if (chosen) announce(t("hand.chosen", { tile: tileName(this.draft.hand[slot]) }));
    if (chosen && byKey) this.controller.board.element.focus({ preventScroll: true });
  }

  drop(slot, x, y) {
    const { controller, draft } = this;
    controller.board.hover(null);
    if (controller.busy || controller.game.status !== "playing" || draft.exchanging) return;
    const cell = this.freeCell(x, y);
    if (cell) draft.put(slot, cell);
    else if (draft.ofSlot(slot)) draft.takeBack(draft.ofSlot(slot));
  }

  /** A tap or Enter on a cell: lays the selected tile, or takes back the one there. */
  chooseCell(cell) {
    const { draft, controller } = this;
    if (controller.busy || controller.replay || draft.exchanging) return;
    if (draft.selected !== null) this.lay(draft.selected, cell);
    else this.takeBack(cell);
  }

  lay(slot, cell) {
    const tile = tileName(this.draft.hand[slot]);
    if (this.draft.put(slot, cell)) announce(t("hand.laid", { tile, ...cell }));
    else toast(t("hand.not_free"));
  }

  takeBack(cell) {
    const tile = this.draft.takeBack(cell);
    if (tile) announce(t("hand.taken_back", { tile: tileName(tile.tile) }));
  }

  /** Starts to drag a laid tile; false if there is none on the cell. */
  startDrag(cell, event) {
    const tile = this.draft.onCell(cell);
    if (!tile || this.controller.busy) return false;
    const { board } = this.controller;
    drag(event, tile.tile, {
      size: board.viewport.scale,
      over: (x, y) => board.hover(this.freeCell(x, y)),
      drop: (x, y) => this.drop(tile.slot, x, y),
      tap: () => this.chooseCell(cell),
    });
    return true;
  }

  /** Keyboard shortcuts, except while typing in a field. */
  key(event) {
    const { controller, draft } = this;
    if (
      !controller.game ||
      event.defaultPrevented ||
      event.altKey ||
      document.querySelector("dialog[open]")
    )
      return;
    if (event.target.closest("input, select, textarea")) return;
    const slot = Number(event.key) - 1;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (!this.handPanel.buttons.play.disabled && !this.handPanel.buttons.play.hidden)
        this.handPanel.play();
    } else if (event.ctrlKey || event.metaKey) return;
    else if (slot >= 0 && slot < draft.hand.length) this.slotKey(slot);
    else if (event.key === "Backspace" || event.key === "Delete")
      this.takeBack(draft.onCell(controller.board.cursor) ? controller.board.cursor : undefined);
    else if (event.key === "Escape") draft.exchanging ? draft.exchange(false) : draft.clear();
    else if (event.key.toLowerCase() === "h" && !this.handPanel.buttons.hint.hidden)
      controller.hint();
    else return;
    event.preventDefault();
  }

  /** A number key lays that tile at the cursor if the board has the focus, else selects it. */
  slotKey(slot) {
    const { board, game } = this.controller;
    if (game.status !== "playing" || this.controller.busy) return;
    if (
      document.activeElement === board.element &&
      !this.draft.exchanging &&
      !this.draft.ofSlot(slot)
    ) {
      this.lay(slot, { ...board.cursor });
    } else this.pick(slot, false);
  }
}
