// Draws tiles: dark rounded squares with one of six shapes in one of six colours.
// tiles.json has their shapes and colours; the images of the service use the same file.

import { svg } from "./dom.js";
import { t, tileName } from "./i18n.js";

export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"];
export const SHAPES = ["circle", "square", "diamond", "star", "clover", "cross"];

let theme = null;

/** Loads tiles.json; must finish before the first tile is drawn. */
export async function loadTheme() {
  if (theme) return;
  theme = await (await fetch(new URL("tiles.json", import.meta.url))).json();
  const { style } = document.documentElement;
  for (const colour of COLOURS) style.setProperty(`--${colour}`, theme.colours[colour]);
  style.setProperty("--tile", theme.face);
  style.setProperty("--tile-edge", theme.edge);
}

/** The SVG elements of a tile, 100 by 100. */
export function tileParts(tile) {
  const [colour, shape] = tile.split("-");
  return [
    svg("rect", { class: "body", x: 3, y: 3, width: 94, height: 94, rx: theme.corner }),
    svg("path", { class: `glyph ${colour}`, d: theme.shapes[shape] }),
    svg("text", { class: `letter ${colour}`, x: 90, y: 92 }, t(`letter.${colour}`)),
  ];
}

/** A tile as an SVG image; without `named` it is decoration for screen readers. */
export function tileSvg(tile, { named = false, ...properties } = {}) {
  const names = named ? { role: "img", "aria-label": tileName(tile) } : { "aria-hidden": "true" };
  const drawing = { class: "tile", viewBox: "0 0 100 100", ...names, ...properties };
  return svg("svg", drawing, ...tileParts(tile));
}

/** A shape without tile and colour. */
export function shapeSvg(shape, name) {
  const drawing = { class: "tile", viewBox: "0 0 100 100", width: 20, height: 20 };
  const path = svg("path", { class: "glyph neutral", d: theme.shapes[shape] });
  return svg("svg", { ...drawing, role: "img", "aria-label": name }, path);
}
