// The tiles a player has laid out but not played yet, and the service's verdict on them.

import { qwirkle } from "./api.js";
import { ProblemError } from "./client/index.js";
import { withTileNames } from "./error_text.js";
import { savedDraft, tokenOf } from "./local_storage.js";

// What an unfinished opening always breaks: not worth reporting before its last tile.
const UNFINISHED = "opening_not_longest";

const sameCell = (a, b) => a.x === b.x && a.y === b.y;

/** The length of the line this seat must open with now; 0 if it does not open. */
export function openingOf(game, seat) {
  if (!game.turn?.opening || game.turn.seat !== seat) return 0;
  return game.players.find((each) => each.seat === seat).bid;
}

export class Draft {
  /** `changed()` is called after every change. */
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
   * Takes a new hand and board; laid tiles stay where that is still possible.
   * `opening` is the length of the line this player must open with, 0 for everybody else;
   * `mayBid` says whether the player chooses the tiles of a bid.
   */
  update(seat, hand, board, opening, mayBid) {
    this.bidding = mayBid ? (this.bidding ?? new Set()) : null;
    if (seat !== this.seat) this.reset(seat);
    const snapshot = JSON.stringify([hand, board.length]);
    this.hand = hand;
    this.board = board;
    this.opening = opening;
    if (snapshot === this.snapshot) return;
    const first = this.snapshot === null;
    this.snapshot = snapshot;
    const wanted = first ? savedDraft.read(this.id, seat) : this.laid;
    this.laid = [];
    for (const { tile, x, y } of wanted) {
      const slot = hand.findIndex((each, index) => each === tile && !this.ofSlot(index));
      const free = !board.some((each) => sameCell(each, { x, y }));
      if (slot >= 0 && free) this.laid.push({ slot, tile, x, y });
    }
    this.selected = null;
    this.exchanging = null;
    if (this.bidding) this.bidding = new Set();
    this.save();
    this.check();
  }

  reset(seat) {
    this.seat = seat;
    this.snapshot = null;
    this.laid = [];
    this.selected = null;
    this.exchanging = null;
    this.verdict = null;
  }

  /** The placement of a slot's tile; undefined if the tile is in the hand. */
  ofSlot(slot) {
    return this.laid.find((each) => each.slot === slot);
  }

  /** The placement on a cell. */
  onCell(cell) {
    return this.laid.find((each) => sameCell(each, cell));
  }

  /** Selects a tile to lay, or to exchange. */
  pick(slot) {
    const several = this.exchanging ?? this.bidding;
    if (several) {
      if (!several.delete(slot)) several.add(slot);
    } else if (this.ofSlot(slot)) {
      this.laid = this.laid.filter((each) => each.slot !== slot);
      this.placementsChanged();
    } else this.selected = this.selected === slot ? null : slot;
    this.changed();
  }

  /** Lays a tile on a cell; false if the cell is taken. */
  put(slot, cell) {
    const taken = this.board.some((each) => sameCell(each, cell));
    const other = this.onCell(cell);
    if (taken || (other && other.slot !== slot)) return false;
    this.laid = this.laid.filter((each) => each.slot !== slot);
    this.laid.push({ slot, tile: this.hand[slot], x: cell.x, y: cell.y });
    this.selected = null;
    this.placementsChanged();
    this.changed();
    return true;
  }

  /** Takes the last tile back, or the one on a cell. */
  takeBack(cell = this.laid[this.laid.length - 1]) {
    const tile = cell && this.onCell(cell);
    if (!tile) return null;
    this.laid = this.laid.filter((each) => each !== tile);
    this.placementsChanged();
    this.changed();
    return tile;
  }

  /** Takes all tiles back. */
  clear(tell = true) {
    this.laid = [];
    this.selected = null;
    this.exchanging = null;
    this.verdict = null;
    if (!tell) return;
    this.placementsChanged();
    this.changed();
  }

  /** Lays out a whole play, such as a hint. */
  layOut(placements) {
    this.clear(false);
    for (const { tile, x, y } of placements) {
      const slot = this.hand.findIndex((each, index) => each === tile && !this.ofSlot(index));
      if (slot >= 0) this.laid.push({ slot, tile, x, y });
    }
    this.placementsChanged();
    this.changed();
  }

  /** Starts or ends the selection of tiles to exchange. */
  exchange(on) {
    if (on) this.clear(false);
    this.exchanging = on ? new Set() : null;
    this.placementsChanged();
    this.changed();
  }

  placements() {
    return this.laid.map(({ tile, x, y }) => ({ tile, x, y }));
  }

  /** How far the opening must move to cover the centre; players may lay it anywhere. */
  get shift() {
    const centred = this.board.length || this.laid.some(({ x, y }) => x === 0 && y === 0);
    if (centred || !this.laid.length) return { x: 0, y: 0 };
    const inOrder = [...this.laid].sort((a, b) => a.x - b.x || a.y - b.y);
    const { x, y } = inOrder[Math.floor((inOrder.length - 1) / 2)];
    return { x: -x, y: -y };
  }

  /** The placements as they are sent: an opening is moved onto the centre. */
  placementsToSend() {
    const { x: dx, y: dy } = this.shift;
    return this.placements().map(({ tile, x, y }) => ({ tile, x: x + dx, y: y + dy }));
  }

  /** Moves the opening onto the centre, where the service expects it. */
  centre() {
    this.layOut(this.placementsToSend());
  }

  tilesToBid() {
    return [...this.bidding].map((slot) => this.hand[slot]);
  }

  tilesToExchange() {
    return [...(this.exchanging ?? [])].map((slot) => this.hand[slot]);
  }

  save() {
    if (this.seat !== null) savedDraft.save(this.id, this.seat, this.placements());
  }

  placementsChanged() {
    this.save();
    this.check();
  }

  /** Asks the service what this play would score or which rules it breaks. */
  async check() {
    const checking = (this.checking = Symbol("question"));
    this.verdict = null;
    if (!this.laid.length || this.seat === null) return;
    const game = qwirkle.game(this.id, tokenOf(this.id, this.seat));
    const { x: dx, y: dy } = this.shift;
    const back = (part) => ({
      ...part,
      cells: part.cells.map(({ x, y }) => ({ x: x - dx, y: y - dy })),
    });
    let verdict;
    try {
      verdict = await game.preview(this.placementsToSend(), { patience: 0 });
      verdict = { play: { ...verdict.play, lines: verdict.play.lines.map(back) } };
    } catch (error) {
      const known = error instanceof ProblemError;
      const broken = known ? error.violations : [];
      const short = this.laid.length < this.opening;
      const faults = broken.filter(({ code }) => !(short && code === UNFINISHED)).map(back);
      const incomplete = broken.length > faults.length && !faults.length;
      verdict = { faults, message: known ? withTileNames(error.message) : null, incomplete };
    }
    if (checking !== this.checking) return;
    this.verdict = verdict;
    this.changed();
  }
}
