// Drags a tile with a finger or the mouse.

import { tileSvg } from "./tiles.js";

const TAP_TOLERANCE = 6;

/** Follows the pointer; calls `drop(x, y)` at the end, or `tap()` if it did not move. */
export function drag(event, tile, { drop, tap, over = () => {}, size = 56 }) {
  const source = event.currentTarget;
  const from = { x: event.clientX, y: event.clientY };
  let ghost = null;

  function move(now) {
    if (now.pointerId !== event.pointerId) return;
    if (!ghost && Math.hypot(now.clientX - from.x, now.clientY - from.y) < TAP_TOLERANCE) return;
    if (!ghost) {
      ghost = tileSvg(tile, { class: "tile ghost", width: size, height: size });
      document.body.append(ghost);
    }
    // A finger hides what is under it, so the tile is shown a little above.
    const lift = now.pointerType === "touch" ? size * 0.55 : 0;
    ghost.style.left = `${now.clientX - size / 2}px`;
    ghost.style.top = `${now.clientY - size / 2 - lift}px`;
    over(now.clientX, now.clientY - lift);
  }

  function end(now) {
    if (now.pointerId !== event.pointerId) return;
    source.removeEventListener("pointermove", move);
    source.removeEventListener("pointerup", end);
    source.removeEventListener("pointercancel", end);
    ghost?.remove();
    if (now.type === "pointercancel") return;
    const lift = now.pointerType === "touch" ? size * 0.55 : 0;
    if (ghost) drop(now.clientX, now.clientY - lift);
    else tap();
  }

  source.setPointerCapture(event.pointerId);
  source.addEventListener("pointermove", move);
  source.addEventListener("pointerup", end);
  source.addEventListener("pointercancel", end);
}
