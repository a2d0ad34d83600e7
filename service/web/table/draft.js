// Tiles laid out by a player but not played yet, and what the service says of them.

import { Problem, tryOut } from "./api.js";
import { laidOut, tokenOf } from "./local_storage.js";

// What an opening may break until its last tile is laid: nobody need be told before that.
const EARLY = ["opening_not_longest", "opening_off_centre"];

const same = (a, b) => a.x === b.x && a.y === b.y;

/** How long a line this seat must open the game with now; 0 if it is not the one to open. */
export function openingOf(game, seat) {
  if (!game.turn?.opening || game.turn.seat !== seat) return 0;
  return game.players.find((each) => each.seat === seat).bid;
}

export class Placing {
  /** `changed()` is called whenever something here is different. */
  constructor(id, changed) {
    this.id = id;
    this.changed = changed;
    this.seat = null;
    this.clear(false);
    this.hand = [];
    this.board = [];
    this.opening = 0;
  }

  /**
   * Takes a new look at hand and table: what was laid out stays where that is still possible.
   * `opening` is how long a line this player must open with, 0 for everybody else.
   */
  take(seat, hand, board, opening) {
    if (seat !== this.seat) this.reset(seat);
    const stands = JSON.stringify([hand, board.length]);
    this.hand = hand;
    this.board = board;
    this.opening = opening;
    if (stands === this.stands) return;
    const first = this.stands === null;
    this.stands = stands;
    const wanted = first ? laidOut.read(this.id, seat) : this.laid;
    this.laid = [];
    for (const { tile, x, y } of wanted) {
      const slot = hand.findIndex((each, index) => each === tile && !this.at(index));
      const free = !board.some((each) => same(each, { x, y }));
      if (slot >= 0 && free) this.laid.push({ slot, tile, x, y });
    }
    this.selected = null;
    this.giving = null;
    this.keep();
    this.judge();
  }

  reset(seat) {
    this.seat = seat;
    this.stands = null;
    this.laid = [];
    this.selected = null;
    this.giving = null;
    this.verdict = null;
  }

  /** Where the tile of a slot lies; undefined if it is in the hand. */
  at(slot) {
    return this.laid.find((each) => each.slot === slot);
  }

  /** The tile laid out on a cell. */
  on(cell) {
    return this.laid.find((each) => same(each, cell));
  }

  /** Chooses a tile to lay, or, when exchanging, one to give. */
  pick(slot) {
    if (this.giving) {
      if (!this.giving.delete(slot)) this.giving.add(slot);
    } else if (this.at(slot)) {
      this.laid = this.laid.filter((each) => each.slot !== slot);
      this.rejudge();
    } else this.selected = this.selected === slot ? null : slot;
    this.changed();
  }

  /** Lays a tile on a cell; false if one lies there. */
  put(slot, cell) {
    const taken = this.board.some((each) => same(each, cell));
    const other = this.on(cell);
    if (taken || (other && other.slot !== slot)) return false;
    this.laid = this.laid.filter((each) => each.slot !== slot);
    this.laid.push({ slot, tile: this.hand[slot], x: cell.x, y: cell.y });
    this.selected = null;
    this.rejudge();
    this.changed();
    return true;
  }

  /** Takes the last tile back, or the one on a cell. */
  takeBack(cell = this.laid[this.laid.length - 1]) {
    const tile = cell && this.on(cell);
    if (!tile) return null;
    this.laid = this.laid.filter((each) => each !== tile);
    this.rejudge();
    this.changed();
    return tile;
  }

  /** Takes all tiles back. */
  clear(tell = true) {
    this.laid = [];
    this.selected = null;
    this.giving = null;
    this.verdict = null;
    if (!tell) return;
    this.rejudge();
    this.changed();
  }

  /** Lays a whole play out, as a hint names it. */
  layOut(placements) {
    this.clear(false);
    for (const { tile, x, y } of placements) {
      const slot = this.hand.findIndex((each, index) => each === tile && !this.at(index));
      if (slot >= 0) this.laid.push({ slot, tile, x, y });
    }
    this.rejudge();
    this.changed();
  }

  /** Begins or ends choosing tiles to exchange. */
  exchange(on) {
    if (on) this.clear(false);
    this.giving = on ? new Set() : null;
    this.rejudge();
    this.changed();
  }

  placements() {
    return this.laid.map(({ tile, x, y }) => ({ tile, x, y }));
  }

  given() {
    return [...(this.giving ?? [])].map((slot) => this.hand[slot]);
  }

  keep() {
    if (this.seat !== null) laidOut.keep(this.id, this.seat, this.placements());
  }

  rejudge() {
    this.keep();
    this.judge();
  }

  /** Asks the service what this play would score, or what is wrong with it. */
  async judge() {
    const asked = (this.asked = Symbol("question"));
    this.verdict = null;
    if (!this.laid.length || this.seat === null) return;
    const path = `v1/games/${this.id}/plays?dry_run=true`;
    const token = tokenOf(this.id, this.seat);
    let verdict;
    try {
      verdict = await tryOut(path, { placements: this.placements() }, { token });
    } catch (error) {
      const known = error instanceof Problem;
      const broken = known ? error.violations : [];
      const short = this.laid.length < this.opening;
      const faults = broken.filter(({ code }) => !(short && EARLY.includes(code)));
      const begun = broken.length > faults.length && !faults.length;
      verdict = { faults, words: known ? error.message : null, begun };
    }
    if (asked !== this.asked) return;
    this.verdict = verdict;
    this.changed();
  }
}
