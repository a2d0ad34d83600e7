// The order of the tiles on the rack, which is the player's own.

import { COLOURS, SHAPES } from "./tiles.js";

export class RackOrder {
  constructor() {
    this.tiles = [];
    this.byShape = true;
  }

  /** The hand in the player's order; new tiles take the places of those that are gone. */
  arrange(hand) {
    const fresh = [...hand];
    const kept = this.tiles.map((tile) => {
      const at = fresh.indexOf(tile);
      return at < 0 ? null : fresh.splice(at, 1)[0];
    });
    const filled = kept.map((tile) => tile ?? fresh.shift() ?? null).filter(Boolean);
    this.tiles = [...filled, ...fresh];
    return this.tiles;
  }

  /** Sorts by colour, and the next time by shape. */
  sort() {
    this.byShape = !this.byShape;
    const rank = (tile) => {
      const [colour, shape] = tile.split("-");
      const [a, b] = [COLOURS.indexOf(colour), SHAPES.indexOf(shape)];
      return this.byShape ? b * 6 + a : a * 6 + b;
    };
    this.tiles = [...this.tiles].sort((one, other) => rank(one) - rank(other));
  }

  /** Moves a tile to another place on the rack. */
  move(from, to) {
    const tiles = [...this.tiles];
    const [tile] = tiles.splice(from, 1);
    tiles.splice(to, 0, tile);
    this.tiles = tiles;
  }
}
