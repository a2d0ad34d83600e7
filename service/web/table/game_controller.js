// One game on this device: loads it, follows its events, shows it and sends actions.

import { request, get, Problem } from "./api.js";
import { Board } from "./board.js";
import { HandPanel } from "./hand_panel.js";
import { h, clearErrors, announce, toast } from "./dom.js";
import { follow } from "./live.js";
import { deliver, send, pendingActions } from "./outbox.js";
import { openingOf, Draft } from "./draft.js";
import { Players } from "./players.js";
import { buildLayout } from "./layout.js";
import { eventText } from "./event_text.js";
import { forgetSeat, saveGame, savedGame, tokenOf } from "./local_storage.js";
import { t } from "./i18n.js";

const RETRY_MS = 2000;

export class GameController {
  /** `app` has `go(hash)` and `setConnection(state)`. */
  constructor(main, id, code, app) {
    Object.assign(this, { main, id, code, app, game: null, etag: null, busy: false });
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

  get path() {
    return `v1/games/${this.id}`;
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
    const actions = pendingActions(this.id);
    this.busy = actions.length > 0;
    for (const action of actions) {
      await deliver(action).catch((error) => toast(error.message, { urgent: true }));
    }
    if (!actions.length) return;
    this.busy = false;
    if (this.game && !this.closing.signal.aborted) await this.refresh();
    this.render();
  }

  subscribe() {
    const token = this.localSeats.length ? tokenOf(this.id, this.localSeats[0]) : null;
    follow(this.id, {
      token,
      after: this.game.version,
      signal: this.closing.signal,
      onState: (state) => this.app.setConnection(state),
      onEvent: (kind, event) => this.onEvent(kind, event),
    });
  }

  /** The stream was refused, perhaps because the token was renewed: reload and subscribe again. */
  async resubscribe() {
    await this.refresh(true);
    await new Promise((go) => setTimeout(go, RETRY_MS));
    if (!this.closing.signal.aborted && this.game.status !== "finished") this.subscribe();
  }

  onEvent(kind, event) {
    if (this.closing.signal.aborted || kind === "ended") return;
    if (kind === "deleted") return this.showGone();
    if (kind === "refused") return this.resubscribe();
    if (event?.type && this.game) {
      this.lastEvent = event;
      const words = eventText(event, this);
      if (words) announce(words);
      this.render();
    }
    return this.refresh(kind === "resync");
  }

  /** Loads the game; calls made while it loads lead to one more load afterwards. */
  async refresh(force = false) {
    if (force) Object.assign(this, { etag: null, force: true });
    if (this.loading) return void (this.loadAgain = true);
    this.loading = true;
    const { viewer } = this;
    try {
      const headers = this.etag && this.loadedFor === viewer ? { "If-None-Match": this.etag } : {};
      const token = tokenOf(this.id, viewer);
      const response = await request(this.path, { token, headers, signal: this.closing.signal });
      if (response.status === 200)
        this.accept(await response.json(), response.headers.get("ETag"), viewer);
    } catch (error) {
      await this.handleLoadError(error, viewer);
    } finally {
      this.loading = false;
    }
    if (this.loadAgain || this.viewer !== this.loadedFor) {
      this.loadAgain = false;
      if (!this.closing.signal.aborted && this.game) await this.refresh();
    }
  }

  async handleLoadError(error, viewer) {
    if (this.closing.signal.aborted) return;
    if (error instanceof Problem && error.status === 404) return this.showGone();
    if (error instanceof Problem && error.status === 401 && viewer !== null) {
      forgetSeat(this.id, viewer);
      this.loadAgain = true;
      return;
    }
    if (error instanceof Problem && error.status < 500 && error.status !== 429) throw error;
    this.app.setConnection("lost");
    await new Promise((go) => setTimeout(go, RETRY_MS));
    this.loadAgain = true;
    if (!this.game) {
      this.loading = false;
      await this.refresh();
    }
  }

  accept(game, etag, viewer) {
    // Responses may arrive out of order; a version only goes back after a store rollback.
    if (this.game && game.version < this.game.version && !this.force) return;
    Object.assign(this, { game, etag, loadedFor: viewer, force: false });
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

  /** Sends an action, which takes effect once even if the network fails, and shows the result. */
  async act(what, body = {}, as = this.viewer) {
    if (this.busy) return null;
    this.busy = true;
    this.render();
    let result = null;
    try {
      result = await send(this.id, `${this.path}/${what}`, body, as);
      clearErrors();
    } catch (error) {
      toast(error.message, { urgent: true });
    }
    this.busy = false;
    if (this.closing.signal.aborted) return result;
    if (result && this.localSeats.length > 1 && what !== "deal") this.revealedSeat = null;
    if (result?.game && as === this.viewer) this.accept(result.game, null, as);
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
      const token = tokenOf(this.id, this.viewer);
      const found = await get(`${this.path}/legal-plays?limit=1&sort=points`, { token });
      const [best] = found.plays;
      if (best) {
        this.draft.layOut(best.placements);
        announce(t("hint.found", { count: best.points }));
      } else toast(t(found.may_pass ? "hint.pass" : "hint.none"));
    } catch (error) {
      toast(error.message, { urgent: true });
    }
  }

  /** Opens the replay, which can also verify the game. */
  async openReplay() {
    const { Replay } = await import("./replay.js");
    const record = await get(`${this.path}/record`).catch((error) => toast(error.message));
    if (!record || this.closing.signal.aborted) return;
    this.replay = new Replay(this, record);
  }

  closeReplay() {
    this.replay = null;
    this.render();
  }
}
