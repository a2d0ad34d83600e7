// The tiles: dark rounded squares with six shapes that differ by outline, in six colours.
// tiles.json says how they look; pictures of the table are drawn from the same file.

import { svg } from "./dom.js";
import { t, tileName } from "./i18n.js";

export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"];
export const SHAPES = ["circle", "square", "diamond", "star", "clover", "cross"];

let look = null;

/** Loads how tiles look; needed once, before the first is drawn. */
export async function learnLook() {
  if (look) return;
  look = await (await fetch(new URL("tiles.json", import.meta.url))).json();
  const { style } = document.documentElement;
  for (const colour of COLOURS) style.setProperty(`--${colour}`, look.colours[colour]);
  style.setProperty("--tile", look.face);
  style.setProperty("--tile-edge", look.edge);
}

/** The parts of a tile in a square of 100 by 100. */
export function tileParts(tile) {
  const [colour, shape] = tile.split("-");
  return [
    svg("rect", { class: "body", x: 3, y: 3, width: 94, height: 94, rx: look.corner }),
    svg("path", { class: `glyph ${colour}`, d: look.shapes[shape] }),
    svg("text", { class: `letter ${colour}`, x: 90, y: 92 }, t(`letter.${colour}`)),
  ];
}

/** A tile as a drawing of its own, for hands and lists; unnamed ones are decoration. */
export function tileDrawing(tile, { named = false, ...properties } = {}) {
  const names = named ? { role: "img", "aria-label": tileName(tile) } : { "aria-hidden": "true" };
  const drawing = { class: "tile", viewBox: "0 0 100 100", ...names, ...properties };
  return svg("svg", drawing, ...tileParts(tile));
}

/** A shape alone, without tile and colour. */
export function shapeDrawing(shape, name) {
  const drawing = { class: "tile", viewBox: "0 0 100 100", width: 20, height: 20 };
  const path = svg("path", { class: "glyph neutral", d: look.shapes[shape] });
  return svg("svg", { ...drawing, role: "img", "aria-label": name }, path);
}
