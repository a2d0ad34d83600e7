// The name under which the user of this browser plays.

import { tileName } from "./i18n.js";
import { changeSettings, settings } from "./local_storage.js";
import { COLOURS, SHAPES } from "./tiles.js";

const MAX_LENGTH = 40;

/** The user's name: the one they typed, or else the name of a tile, so that nobody has to type. */
export function playerName() {
  const { name, tile } = settings();
  if (name) return name;
  const kept = tile ?? `${anyOf(COLOURS)}-${anyOf(SHAPES)}`;
  if (!tile) changeSettings({ tile: kept });
  const words = tileName(kept);
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

/** Keeps the name that the user typed; none brings back the name of a tile. */
export function changeName(name) {
  changeSettings({ name: name.trim().slice(0, MAX_LENGTH) });
}

function anyOf(list) {
  return list[Math.floor(Math.random() * list.length)];
}
