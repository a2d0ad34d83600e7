// One game on this device: what is known of it, who looks, and what they do.

import { ask, get, Problem } from "./api.js";
import { Board } from "./board.js";
import { Dock } from "./hand_panel.js";
import { h, hush, say, toast } from "./dom.js";
import { follow } from "./live.js";
import { deliver, send, unanswered } from "./outbox.js";
import { openingOf, Placing } from "./draft.js";
import { Players } from "./players.js";
import { setTable } from "./layout.js";
import { eventWords } from "./event_text.js";
import { leaveSeat, remember, tableOf, tokenOf } from "./local_storage.js";
import { t } from "./i18n.js";

const LOOK_AGAIN = 2000;

export class Table {
  /** `app` has `go(hash)` and `line(state)`. */
  constructor(main, id, code, app) {
    Object.assign(this, { main, id, code, app, game: null, etag: null, busy: false });
    this.shown = null;
    this.news = null;
    this.ended = new AbortController();
    this.placing = new Placing(id, () => this.render());
    this.board = new Board({
      cell: (cell) => this.dock.moving.chooseCell(cell),
      lift: (cell, event) => this.dock.moving.lift(cell, event),
      spoken: say,
    });
    this.players = new Players();
    this.dock = new Dock(this);
    this.keys = (event) => this.dock.moving.key(event);
    // A phone that slept may have missed the end of its stream.
    this.woken = () => document.visibilityState === "visible" && this.game && this.refresh();
    document.addEventListener("keydown", this.keys);
    document.addEventListener("visibilitychange", this.woken);
    if (code) remember(id, { code });
  }

  get path() {
    return `v1/games/${this.id}`;
  }

  /** The seats of the people at this device. */
  get here() {
    return Object.keys(tableOf(this.id).seats).map(Number);
  }

  /** Whose eyes the page has: with several people at one device nobody's until one says so. */
  get viewer() {
    const { here } = this;
    if (here.length === 1) return here[0];
    return here.includes(this.shown) ? this.shown : null;
  }

  /** Who at this device has to do something now. */
  get due() {
    const { game, here } = this;
    if (game?.status === "bidding") {
      const open = game.players.filter((each) => each.bid === null && !each.resigned);
      return open.map((each) => each.seat).find((seat) => here.includes(seat)) ?? null;
    }
    return game?.status === "playing" && here.includes(game.turn.seat) ? game.turn.seat : null;
  }

  name(seat) {
    return this.game.players.find((each) => each.seat === seat)?.name ?? "";
  }

  async open() {
    this.settle();
    await this.refresh();
    if (!this.game || this.ended.signal.aborted) return;
    this.listen();
  }

  close() {
    this.ended.abort();
    this.board.close();
    this.side?.close();
    this.replay?.close();
    clearInterval(this.dock.clock);
    document.removeEventListener("keydown", this.keys);
    document.removeEventListener("visibilitychange", this.woken);
  }

  /** Finishes what was sent before a reload and not answered. */
  async settle() {
    const orders = unanswered(this.id);
    this.busy = orders.length > 0;
    for (const order of orders) {
      await deliver(order).catch((error) => toast(error.message, { urgent: true }));
    }
    if (!orders.length) return;
    this.busy = false;
    if (this.game && !this.ended.signal.aborted) await this.refresh();
    this.render();
  }

  listen() {
    const token = this.here.length ? tokenOf(this.id, this.here[0]) : null;
    follow(this.id, {
      token,
      after: this.game.version,
      signal: this.ended.signal,
      state: (state) => this.app.line(state),
      tell: (kind, event) => this.heard(kind, event),
    });
  }

  /** The stream was refused, perhaps for a token that is void by now: look, and try anew. */
  async listenAgain() {
    await this.refresh(true);
    await new Promise((go) => setTimeout(go, LOOK_AGAIN));
    if (!this.ended.signal.aborted && this.game.status !== "finished") this.listen();
  }

  heard(kind, event) {
    if (this.ended.signal.aborted || kind === "ended") return;
    if (kind === "deleted") return this.gone();
    if (kind === "refused") return this.listenAgain();
    if (event?.type && this.game) {
      this.news = event;
      const words = eventWords(event, this);
      if (words) say(words);
      this.render();
    }
    return this.refresh(kind === "resync");
  }

  /** Looks at the game again; requests that come meanwhile are one more look afterwards. */
  async refresh(anew = false) {
    if (anew) Object.assign(this, { etag: null, anew: true });
    if (this.looking) return void (this.lookAgain = true);
    this.looking = true;
    const { viewer } = this;
    try {
      const headers = this.etag && this.seenBy === viewer ? { "If-None-Match": this.etag } : {};
      const token = tokenOf(this.id, viewer);
      const answer = await ask(this.path, { token, headers, signal: this.ended.signal });
      if (answer.status === 200) this.take(await answer.json(), answer.headers.get("ETag"), viewer);
    } catch (error) {
      await this.notSeen(error, viewer);
    } finally {
      this.looking = false;
    }
    if (this.lookAgain || this.viewer !== this.seenBy) {
      this.lookAgain = false;
      if (!this.ended.signal.aborted && this.game) await this.refresh();
    }
  }

  async notSeen(error, viewer) {
    if (this.ended.signal.aborted) return;
    if (error instanceof Problem && error.status === 404) return this.gone();
    if (error instanceof Problem && error.status === 401 && viewer !== null) {
      leaveSeat(this.id, viewer);
      this.lookAgain = true;
      return;
    }
    if (error instanceof Problem && error.status < 500 && error.status !== 429) throw error;
    this.app.line("lost");
    await new Promise((go) => setTimeout(go, LOOK_AGAIN));
    this.lookAgain = true;
    if (!this.game) {
      this.looking = false;
      await this.refresh();
    }
  }

  take(game, etag, viewer) {
    // Answers may overtake each other; only a store that was rolled back goes backwards.
    if (this.game && game.version < this.game.version && !this.anew) return;
    Object.assign(this, { game, etag, seenBy: viewer, anew: false });
    this.render();
  }

  gone() {
    this.ended.abort();
    this.app.line("live");
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

  /** Does something once, whatever the network does, and shows what came of it. */
  async act(what, body = {}, as = this.viewer) {
    if (this.busy) return null;
    this.busy = true;
    this.render();
    let result = null;
    try {
      result = await send(this.id, `${this.path}/${what}`, body, as);
      hush();
    } catch (error) {
      toast(error.message, { urgent: true });
    }
    this.busy = false;
    if (this.ended.signal.aborted) return result;
    if (result && this.here.length > 1 && what !== "deal") this.shown = null;
    if (result?.game && as === this.viewer) this.take(result.game, null, as);
    else this.render();
    await this.refresh();
    return result;
  }

  /** Shows a hand to whoever says that it is theirs. */
  async reveal(seat) {
    this.shown = seat;
    await this.refresh(true);
    this.board.element.focus({ preventScroll: true });
  }

  render() {
    const { game } = this;
    if (!game || this.ended.signal.aborted) return;
    this.main.dataset.version = game.version;
    if (game.status === "waiting") return void this.renderWaiting();
    this.layOut();
    const seat = game.you && this.seenBy === this.viewer ? game.you.seat : null;
    const hand = seat === null ? [] : game.you.hand;
    this.placing.take(seat, hand, game.board, openingOf(game, seat));
    this.players.show(this);
    this.dock.show();
    this.side?.show();
    if (this.replay) return;
    const last = Math.max(0, ...game.board.map((each) => each.turn));
    const fresh = game.board.filter((each) => each.turn === last && last > 0);
    const { verdict, laid } = this.placing;
    this.board.name();
    this.board.show({
      tiles: game.board,
      fresh: new Set(fresh.map(({ x, y }) => `${x},${y}`)),
      laid,
      open: this.dock.moving.openCells(),
      lines: verdict?.play?.lines ?? this.spotlight ?? [],
      faults: verdict?.faults ?? [],
    });
  }

  async renderWaiting() {
    const { showWaiting } = await import("./waiting_room.js");
    if (this.game.status === "waiting" && !this.ended.signal.aborted) showWaiting(this);
  }

  /** Builds the table once. */
  layOut() {
    if (this.stage?.isConnected) return;
    Object.assign(this, setTable(this));
    import("./score_sheet.js").then(({ Side }) => {
      if (this.ended.signal.aborted) return;
      this.side = new Side(this, this.aside);
      this.side.show();
    });
  }

  zoom(factor) {
    this.board.camera.zoom(factor);
    this.board.look();
  }

  /** Lays out the best play there is. */
  async hint() {
    try {
      const token = tokenOf(this.id, this.viewer);
      const found = await get(`${this.path}/legal-plays?limit=1&sort=points`, { token });
      const [best] = found.plays;
      if (best) {
        this.placing.layOut(best.placements);
        say(t("hint.found", { count: best.points }));
      } else toast(t(found.may_pass ? "hint.pass" : "hint.none"));
    } catch (error) {
      toast(error.message, { urgent: true });
    }
  }

  /** Asks whether the game's draws and scores are as they should be, and steps through it. */
  async openReplay() {
    const { Replay } = await import("./replay.js");
    const record = await get(`${this.path}/record`).catch((error) => toast(error.message));
    if (!record || this.ended.signal.aborted) return;
    this.replay = new Replay(this, record);
  }

  closeReplay() {
    this.replay = null;
    this.render();
  }
}
