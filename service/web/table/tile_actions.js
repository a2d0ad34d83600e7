// Selecting, laying and taking back tiles by pointer and keyboard.

import { drag } from "./drag.js";
import { announce, toast } from "./dom.js";
import { t, tileName } from "./i18n.js";
import { openCells } from "./open_cells.js";

const SNAP = 0.7; // in cells, from the middle of a cell
const EDGE = 36; // pixels from the edge of the board within which it scrolls
const SCROLL = 9;

export class TileActions {
  constructor(controller, handPanel) {
    this.controller = controller;
    this.handPanel = handPanel;
  }

  get draft() {
    return this.controller.draft;
  }

  /** The cells to highlight while a tile is selected or dragged. */
  openCells() {
    const slot = this.lifted ?? this.draft.selected;
    if (slot === null || slot === undefined) return [];
    const others = this.draft.laid.filter((each) => each.slot !== slot);
    return openCells(this.draft.hand[slot], this.controller.game.board, others);
  }

  /** The free cell at a point of the screen; a cell that suits the tile attracts it. */
  freeCell(x, y) {
    const { board, game } = this.controller;
    const cell = board.cellAt(x, y);
    if (!cell || !document.elementFromPoint(x, y)?.closest(".board-area")) return null;
    const box = board.element.getBoundingClientRect();
    const [cx, cy] = board.viewport.toCell(x - box.left, y - box.top);
    const apart = (open) => Math.hypot(open.x + 0.5 - cx, open.y + 0.5 - cy);
    const suiting = this.openCells().filter((open) => apart(open) < SNAP);
    const [nearest] = suiting.sort((one, other) => apart(one) - apart(other));
    const taken = game.board.some((each) => each.x === cell.x && each.y === cell.y);
    return (game.board.length && nearest) || (taken ? null : cell);
  }

  /** A tile leaves the rack or its cell: the board shows where it may go. */
  lift(slot) {
    if (this.controller.busy || this.draft.exchanging || this.draft.bidding) return;
    this.lifted = slot;
    if (this.controller.board.isOverview) this.controller.closeUp();
    this.controller.render();
  }

  /** A dragged tile is over a point of the screen; near an edge the board scrolls. */
  over(slot, x, y) {
    const { board } = this.controller;
    board.hover(this.freeCell(x, y));
    const box = board.element.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) return;
    const away = (low, high, at) => (at < low + EDGE ? SCROLL : at > high - EDGE ? -SCROLL : 0);
    const [dx, dy] = [away(box.left, box.right, x), away(box.top, box.bottom, y)];
    if (!dx && !dy) return;
    board.viewport.pan(dx, dy);
    board.updateView();
  }

  pick(slot, byKey) {
    if (this.controller.busy || this.controller.game.status === "finished") return;
    this.draft.pick(slot);
    if (this.draft.selected !== null && this.controller.board.isOverview) this.controller.closeUp();
    const chosen = this.draft.selected === slot;
    if (chosen) announce(t("hand.chosen", { tile: tileName(this.draft.hand[slot]) }));
    if (chosen && byKey) this.controller.board.element.focus({ preventScroll: true });
  }

  drop(slot, x, y) {
    const { controller, draft } = this;
    const cell = this.freeCell(x, y);
    const place = this.handPanel.rack.placeAt(x, y);
    controller.board.hover(null);
    this.lifted = null;
    if (!controller.busy && place !== null && !draft.ofSlot(slot)) controller.rackOrder.move(slot, place);
    else if (controller.busy || controller.game.status !== "playing" || draft.exchanging) return;
    else if (cell) this.put(slot, cell);
    else if (draft.ofSlot(slot)) draft.takeBack(draft.ofSlot(slot));
    controller.render();
  }

  /** A tap or Enter on a cell: lays the selected tile, or takes back the one there. */
  chooseCell(cell) {
    const { draft, controller } = this;
    if (controller.busy || controller.replay || draft.exchanging) return;
    if (draft.selected !== null && controller.board.isOverview) controller.board.closeUp([cell]);
    else if (draft.selected !== null) this.lay(draft.selected, cell);
    else this.takeBack(cell);
  }

  lay(slot, cell) {
    const tile = tileName(this.draft.hand[slot]);
    if (this.put(slot, cell)) announce(t("hand.laid", { tile, ...cell }));
    else toast(t("hand.not_free"));
  }

  /** Lays a tile; the camera shows what is laid and what lies around it. */
  put(slot, cell) {
    const put = this.draft.put(slot, cell);
    if (put) this.controller.board.follow(this.draft.laid);
    return put;
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
      size: () => board.viewport.scale,
      lift: () => this.lift(tile.slot),
      over: (x, y) => this.over(tile.slot, x, y),
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
      if (!this.handPanel.right.disabled && !this.handPanel.right.hidden) this.handPanel.right.click();
    } else if (event.ctrlKey || event.metaKey) return;
    else if (slot >= 0 && slot < draft.hand.length) this.slotKey(slot);
    else if (event.key === "Backspace" || event.key === "Delete")
      this.takeBack(draft.onCell(controller.board.cursor) ? controller.board.cursor : undefined);
    else if (event.key === "Escape") draft.exchanging ? draft.exchange(false) : draft.clear();
    else if (event.key.toLowerCase() === "h" && !this.handPanel.hintButton.hidden)
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
