// Moves that have happened but have not been shown yet: each takes its time, one after another.

const SHOWN = ["played", "exchanged", "passed"];

export class MoveQueue {
  /**
   * `show(event, skip)` shows a move until it is over or `skip`, a promise, is resolved.
   * `changed()` is called whenever there is more or less to see.
   */
  constructor(show, changed) {
    Object.assign(this, { show, changed, waiting: [] });
    this.finish = () => {};
  }

  /** Whether moves are still to be shown. */
  get busy() {
    return this.waiting.length > 0;
  }

  /** Adds an event; what is not a move is shown at once. */
  push(event) {
    if (!SHOWN.includes(event.type)) return;
    this.waiting.push(event);
    if (this.waiting.length === 1) this.run();
  }

  async run() {
    while (this.waiting.length) {
      const [event] = this.waiting;
      const skip = new Promise((resolve) => (this.finish = resolve));
      this.changed();
      await this.show(event, skip);
      if (this.waiting[0] === event) this.waiting.shift();
    }
    this.finish = () => {};
    this.changed();
  }

  /** Ends the move that is being shown. */
  skip() {
    this.finish();
  }

  /** Ends all of them. */
  skipAll() {
    this.waiting.splice(1);
    this.finish();
  }

  /** The cells of other players' tiles that have not arrived yet. */
  hidden(localSeats) {
    const coming = this.waiting.filter(({ type, seat }) => type === "played" && !localSeats.includes(seat));
    return new Set(coming.flatMap(({ placements }) => placements).map(({ x, y }) => `${x},${y}`));
  }

  /** The points of a seat that have not been shown yet. */
  pendingPoints(seat) {
    const own = this.waiting.filter((event) => event.type === "played" && event.seat === seat);
    return own.reduce((sum, { points, bonus }) => sum + points + bonus, 0);
  }
}
