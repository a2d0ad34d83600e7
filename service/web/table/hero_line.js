// The line of six on the start page: a legal line, which is laid tile by tile.

import { h, motionReduced } from "./dom.js";
import { COLOURS, tileSvg } from "./tiles.js";

const STEP_MS = 110;

/** The line; where motion is not reduced it lays itself once. */
export function heroLine() {
  const tiles = COLOURS.map((colour) => tileSvg(`${colour}-star`));
  tiles.forEach((tile, index) =>
    tile.animate([{ opacity: 0, transform: "translateY(-30px) scale(1.2)" }, {}], {
      duration: motionReduced() ? 0 : 260,
      delay: index * STEP_MS,
      easing: "ease-out",
      fill: "backwards",
    }),
  );
  return h("div", { class: "hero-tiles", "aria-hidden": "true" }, ...tiles);
}
