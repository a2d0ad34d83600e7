// One game on this device: loads it, follows its events, shows it and sends actions.

import { outbox, qwirkle } from "./api.js";
import { Board } from "./board.js";
import { GameDeleted } from "./client/index.js";
import { HandPanel } from "./hand_panel.js";
import { h, clearErrors, announce, toast } from "./dom.js";
import { openingOf, Draft } from "./draft.js";
import { Players } from "./players.js";
import { buildLayout } from "./game_screen.js";
import { eventText, rematchText } from "./event_text.js";
import { forgetSeat, saveGame, savedGame, tokenOf } from "./local_storage.js";
import { t } from "./i18n.js";

const RETRY_MS = 2000;

export class GameController {
  /** `app` has `go(hash)` and `setConnection(state)`. */
  constructor(main, id, code, app) {
    Object.assign(this, { main, id, code, app, game: null, busy: false });
    this.clients = new Map();
    this.revealedSeat = null;
    this.lastEvent = null;
    this.closing = new AbortController();
    this.draft = new Draft(id, () => this.render());
    this.board = new Board({
      cell: (cell) => this.handPanel.tileActions.chooseCell(cell),
      startDrag: (cell, event) => this.handPanel.tileActions.startDrag(cell, event),
      announce,
    });
    this.players = new Players();
    this.handPanel = new HandPanel(this);
    this.onKey = (event) => this.handPanel.tileActions.key(event);
    // The stream of a sleeping phone may have ended unnoticed.
    this.onVisible = () => document.visibilityState === "visible" && this.game && this.refresh();
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("visibilitychange", this.onVisible);
    if (code) saveGame(id, { code });
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

  /** The seat on this device that must act now, or null. */
  get seatToAct() {
    const { game, localSeats } = this;
    if (game?.status === "bidding") {
      const open = game.players.filter((each) => each.bid === null && !each.resigned);
      return open.map((each) => each.seat).find((seat) => localSeats.includes(seat)) ?? null;
    }
    return game?.status === "playing" && localSeats.includes(game.turn.seat)
      ? game.turn.seat
      : null;
  }

  name(seat) {
    return this.game.players.find((each) => each.seat === seat)?.name ?? "";
  }

  async open() {
    this.resumePending();
    await this.refresh();
    if (!this.game || this.closing.signal.aborted) return;
    this.subscribe();
  }

  close() {
    this.closing.abort();
    this.board.close();
    this.scoreSheet?.close();
    this.replay?.close();
    clearInterval(this.handPanel.clock);
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("visibilitychange", this.onVisible);
  }

  /** Resends what was sent but not answered before a reload. */
  async resumePending() {
    const folder = `${this.as(null).path}/`;
    const actions = (await outbox.pending()).filter(({ path }) => path.startsWith(folder));
    if (!actions.length) return;
    this.busy = true;
    for (const action of actions) {
      await qwirkle.resend(action).catch((error) => toast(error.message, { urgent: true }));
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
    if (event.type === "rematch") {
      announce(rematchText(this.game, event));
    } else if (event.type !== "resync") {
      this.lastEvent = event;
      const words = eventText(event, this);
      if (words) announce(words);
      this.render();
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
    } else toast(error.message, { urgent: true });
  }

  accept(game, viewer) {
    // Responses may arrive out of order; a version only goes back after a store rollback.
    if (this.game && game.version < this.game.version && !this.force) return;
    Object.assign(this, { game, loadedFor: viewer, force: false });
    this.render();
  }

  showGone() {
    this.closing.abort();
    this.app.setConnection("live");
    this.main.replaceChildren(
      h(
        "section",
        { class: "card narrow" },
        h("h1", {}, t("gone.title")),
        h("p", {}, t("gone.text")),
        h("a", { class: "button primary", href: "#" }, t("nav.new_game")),
      ),
    );
  }

  /** Does something in the game and shows the result; null if it was refused. */
  async act(action, as = this.viewer) {
    if (this.busy) return null;
    this.busy = true;
    this.render();
    let result = null;
    try {
      result = await action(this.as(as));
      clearErrors();
    } catch (error) {
      toast(error.message, { urgent: true });
    }
    this.busy = false;
    if (this.closing.signal.aborted) return result;
    if (result && this.localSeats.length > 1 && as !== "host") this.revealedSeat = null;
    if (result?.game && as === this.viewer) this.accept(result.game, as);
    else this.render();
    await this.refresh();
    return result;
  }

  /** Shows the hand of a seat. */
  async reveal(seat) {
    this.revealedSeat = seat;
    await this.refresh(true);
    this.board.element.focus({ preventScroll: true });
  }

  render() {
    const { game } = this;
    if (!game || this.closing.signal.aborted) return;
    this.main.dataset.version = game.version;
    if (game.status === "waiting") return void this.renderWaiting();
    this.ensureLayout();
    const seat = game.you && this.loadedFor === this.viewer ? game.you.seat : null;
    const hand = seat === null ? [] : game.you.hand;
    this.draft.update(seat, hand, game.board, openingOf(game, seat));
    this.players.show(this);
    this.handPanel.show();
    this.scoreSheet?.show();
    if (this.replay) return;
    const last = Math.max(0, ...game.board.map((each) => each.turn));
    const fresh = game.board.filter((each) => each.turn === last && last > 0);
    const { verdict, laid } = this.draft;
    this.board.setLabels();
    this.board.show({
      tiles: game.board,
      fresh: new Set(fresh.map(({ x, y }) => `${x},${y}`)),
      laid,
      open: this.handPanel.tileActions.openCells(),
      lines: verdict?.play?.lines ?? this.highlightedLines ?? [],
      faults: verdict?.faults ?? [],
    });
  }

  async renderWaiting() {
    const { showWaitingRoom } = await import("./waiting_room.js");
    if (this.game.status === "waiting" && !this.closing.signal.aborted) showWaitingRoom(this);
  }

  /** Builds the page of the game unless it is there. */
  ensureLayout() {
    if (this.boardArea?.isConnected) return;
    Object.assign(this, buildLayout(this));
    import("./score_sheet.js").then(({ ScoreSheet }) => {
      if (this.closing.signal.aborted) return;
      this.scoreSheet = new ScoreSheet(this, this.sidebar);
      this.scoreSheet.show();
    });
  }

  zoom(factor) {
    this.board.viewport.zoom(factor);
    this.board.updateView();
  }

  /** Lays out the best play. */
  async hint() {
    try {
      const best = { limit: 1, sort: "points" };
      const found = await this.as(this.viewer).legalPlays(best, { patience: 0 });
      const [play] = found.plays;
      if (play) {
        this.draft.layOut(play.placements);
        announce(t("hint.found", { count: play.points }));
      } else toast(t(found.may_pass ? "hint.pass" : "hint.none"));
    } catch (error) {
      toast(error.message, { urgent: true });
    }
  }

  /** Opens the replay, which can also verify the game. */
  async openReplay() {
    const { Replay } = await import("./replay.js");
    const record = await this.as(null)
      .record({ signal: this.closing.signal })
      .catch((error) => toast(error.message));
    if (!record || this.closing.signal.aborted) return;
    this.replay = new Replay(this, record);
  }

  closeReplay() {
    this.replay = null;
    this.render();
  }
}
