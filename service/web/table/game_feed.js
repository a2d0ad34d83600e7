// A game as the service tells it: loads its view, follows its events, resends what was not answered.

import { outbox, qwirkle } from "./api.js";
import { GameDeleted } from "./client/index.js";
import { showError } from "./error_text.js";
import { forgetSeat, savedGame, saveSummary, tokenOf } from "./local_storage.js";

const RETRY_MS = 2000;
const EVENTS_LATE_MS = 1500; // a view may be shown before its events after this time

/**
 * Subclasses show what arrives: `render()` after every change, `showEvent(event)`,
 * `showOffer(offer)` of a rematch, and `showGone()` when there is no game any more.
 */
export class GameFeed {
  constructor(id, app) {
    Object.assign(this, { id, app, game: null, busy: false, known: 0 });
    this.clients = new Map();
    this.revealedSeat = null;
    this.closing = new AbortController();
    // The stream of a sleeping phone may have ended unnoticed.
    this.onVisible = () => document.visibilityState === "visible" && this.game && this.refresh();
    document.addEventListener("visibilitychange", this.onVisible);
  }

  /** The game for a seat on this device, its host ("host") or a spectator (null). */
  as(who) {
    const token = tokenOf(this.id, who);
    if (!this.clients.has(token)) this.clients.set(token, qwirkle.game(this.id, token));
    return this.clients.get(token);
  }

  /** The seats played on this device. */
  get localSeats() {
    return Object.keys(savedGame(this.id).seats).map(Number);
  }

  /** The seat whose hand is shown; with several players on one device, nobody's until one asks. */
  get viewer() {
    const { localSeats } = this;
    if (localSeats.length === 1) return localSeats[0];
    return localSeats.includes(this.revealedSeat) ? this.revealedSeat : null;
  }

  async open() {
    this.resumePending();
    await this.refresh();
    if (!this.game || this.closing.signal.aborted) return;
    this.subscribe();
  }

  close() {
    this.closing.abort();
    clearTimeout(this.late);
    document.removeEventListener("visibilitychange", this.onVisible);
  }

  /** Resends what was sent but not answered before a reload. */
  async resumePending() {
    const folder = `${this.as(null).path}/`;
    const actions = (await outbox.pending()).filter(({ path }) => path.startsWith(folder));
    if (!actions.length) return;
    this.busy = true;
    for (const action of actions) {
      await qwirkle.resend(action).catch(showError);
    }
    this.busy = false;
    if (this.game && !this.closing.signal.aborted) await this.refresh();
    this.render();
  }

  async subscribe() {
    const { signal } = this.closing;
    const events = this.as(this.localSeats[0] ?? null).follow({
      after: this.game.version,
      signal,
      rematch: true,
      onConnection: (state) => this.app.setConnection(state),
    });
    try {
      for await (const event of events) this.onEvent(event);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof GameDeleted) this.showGone();
      else await this.resubscribe();
    }
  }

  /** The stream was refused, perhaps because the token was renewed: reload and subscribe again. */
  async resubscribe() {
    await this.refresh(true);
    await new Promise((go) => setTimeout(go, RETRY_MS));
    if (!this.closing.signal.aborted && this.game.status !== "finished") this.subscribe();
  }

  onEvent(event) {
    if (event.type === "rematch") this.showOffer(event);
    else if (event.type !== "resync") {
      this.known = Math.max(this.known, event.n);
      this.showEvent(event);
    }
    this.refresh(event.type === "resync");
  }

  /** Loads the game; calls made while it loads lead to one more load afterwards. */
  async refresh(force = false) {
    if (force) this.force = true;
    if (this.loading) return void (this.loadAgain = true);
    this.loading = true;
    const { viewer } = this;
    try {
      const game = await this.as(viewer).view({ signal: this.closing.signal });
      if (game !== this.game || viewer !== this.loadedFor) this.accept(game, viewer);
    } catch (error) {
      this.handleLoadError(error, viewer);
    } finally {
      this.loading = false;
    }
    if (this.loadAgain || (this.game && this.viewer !== this.loadedFor)) {
      this.loadAgain = false;
      if (!this.closing.signal.aborted) await this.refresh();
    }
  }

  handleLoadError(error, viewer) {
    if (this.closing.signal.aborted) return;
    if (error.code === "game_not_found") this.showGone();
    else if (error.code === "token_invalid" && viewer !== null) {
      forgetSeat(this.id, viewer);
      this.loadAgain = true;
    } else showError(error);
  }

  /** Shows a view, though not before the events that led to it, so that every move is seen. */
  accept(game, viewer, own = false) {
    // Responses may arrive out of order; a version only goes back after a store rollback.
    if (this.game && game.version < this.game.version && !this.force) return;
    clearTimeout(this.late);
    if (!this.game || own || this.force) this.known = game.version;
    if (game.version > this.known) {
      this.late = setTimeout(() => this.accept(game, viewer, true), EVENTS_LATE_MS);
      return;
    }
    Object.assign(this, { game, loadedFor: viewer, force: false });
    if (this.localSeats.length) saveSummary(this.id, game);
    this.render();
  }
}
