// Drags a tile with a finger or the mouse.

import { tileSvg } from "./tiles.js";

const TAP_TOLERANCE = 6;
const FINGER_HEIGHT = 40; // a finger hides what is under it, so the tile floats above

/**
 * Follows the pointer: `lift()` when it first moves, `over(x, y)` while it moves, `drop(x, y)` at
 * the end, or `tap()` if it did not move. The tile is as large as `size()`, that is, as a cell.
 */
export function drag(event, tile, { drop, tap, size, over = () => {}, lift = () => {} }) {
  const source = event.currentTarget;
  const from = { x: event.clientX, y: event.clientY };
  let ghost = null;

  /** Where the middle of the tile is. */
  function middle(now) {
    const above = now.pointerType === "touch" ? FINGER_HEIGHT + size() / 2 : 0;
    return [now.clientX, now.clientY - above];
  }

  function move(now) {
    if (now.pointerId !== event.pointerId) return;
    if (!ghost && Math.hypot(now.clientX - from.x, now.clientY - from.y) < TAP_TOLERANCE) return;
    if (!ghost) {
      lift();
      ghost = tileSvg(tile, { class: "tile ghost" });
      document.body.append(ghost);
    }
    const [x, y] = middle(now);
    ghost.style.width = `${size()}px`;
    ghost.style.left = `${x - size() / 2}px`;
    ghost.style.top = `${y - size() / 2}px`;
    over(x, y);
  }

  function end(now) {
    if (now.pointerId !== event.pointerId) return;
    source.removeEventListener("pointermove", move);
    source.removeEventListener("pointerup", end);
    source.removeEventListener("pointercancel", end);
    ghost?.remove();
    if (now.type === "pointercancel") return over(-1, -1);
    if (ghost) drop(...middle(now));
    else tap();
  }

  source.setPointerCapture(event.pointerId);
  source.addEventListener("pointermove", move);
  source.addEventListener("pointerup", end);
  source.addEventListener("pointercancel", end);
}
