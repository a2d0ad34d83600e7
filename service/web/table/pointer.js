// An arrow at the edge of the board that points to what lies outside: the draft or the last move.

import { t } from "./i18n.js";
import { iconButton, nameButton } from "./icons.js";

const MARGIN = 30;

export class Pointer {
  constructor(controller) {
    this.controller = controller;
    this.element = iconButton("arrow", { class: "icon pointer", hidden: true });
    this.element.addEventListener("click", () => controller.board.follow(this.cells));
  }

  /** Shows the arrow if there is something to point to. */
  update() {
    const { board, draft, lastCells = [], replay } = this.controller;
    const { viewport } = board;
    const outside = (cells) => cells.length > 0 && !cells.some((cell) => viewport.shows(cell));
    const target = [draft.laid, lastCells].find(outside);
    this.element.hidden = !target || Boolean(replay);
    if (this.element.hidden) return;
    this.cells = target;
    nameButton(this.element, t(target === lastCells ? "board.to_last" : "board.to_draft"));
    const [cx, cy] = [viewport.width / 2, viewport.height / 2];
    const [px, py] = viewport.toPixel(target[0].x + 0.5, target[0].y + 0.5);
    const [dx, dy] = [px - cx, py - cy];
    const share = Math.min((cx - MARGIN) / Math.abs(dx || 1), (cy - MARGIN) / Math.abs(dy || 1));
    this.element.style.left = `${cx + dx * share}px`;
    this.element.style.top = `${cy + dy * share}px`;
    this.element.style.rotate = `${Math.atan2(dy, dx)}rad`;
  }
}
