// One game on this device: shows it and sends actions.

import { Board } from "./board.js";
import { HandPanel } from "./hand_panel.js";
import { h, clearErrors, announce, toast } from "./dom.js";
import { openingOf, Draft } from "./draft.js";
import { errorText, showError } from "./error_text.js";
import { Players } from "./players.js";
import { GameFeed } from "./game_feed.js";
import { buildLayout } from "./game_screen.js";
import { eventText, rematchText } from "./event_text.js";
import { saveGame } from "./local_storage.js";
import { MoveQueue } from "./move_queue.js";
import { RackOrder } from "./rack_order.js";
import { play as sound } from "./sounds.js";
import { showTurn } from "./turn_alert.js";
import { t } from "./i18n.js";

export class GameController extends GameFeed {
  /** `app` has `go(hash)` and `setConnection(state)`. */
  constructor(main, id, code, app) {
    super(id, app);
    Object.assign(this, { main, code, lastEvent: null });
    this.rackOrder = new RackOrder();
    this.moves = new MoveQueue((event, skip) => this.showMove(event, skip), () => this.render());
    this.draft = new Draft(id, () => {
      this.handPanel.refusal = null;
      this.render();
    });
    this.board = new Board({
      cell: (cell) => this.handPanel.tileActions.chooseCell(cell),
      target: (x, y) => this.handPanel.tileActions.freeCell(x, y) ?? this.board.cellAt(x, y),
      startDrag: (cell, event) => this.handPanel.tileActions.startDrag(cell, event),
      announce,
      viewChanged: () => this.pointer?.update(),
    });
    this.players = new Players();
    this.handPanel = new HandPanel(this);
    this.onKey = (event) => this.handPanel.tileActions.key(event);
    this.onTap = () => this.moves.skip();
    document.addEventListener("pointerdown", this.onTap);
    document.addEventListener("keydown", this.onKey);
    if (code) saveGame(id, { code });
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

  /** Whether the seat is the only one on this device. */
  isYou(seat) {
    return this.localSeats.length === 1 && this.localSeats[0] === seat;
  }

  name(seat) {
    return this.game.players.find((each) => each.seat === seat)?.name ?? "";
  }

  close() {
    super.close();
    showTurn(null);
    this.board.close();
    this.scoreSheet?.close();
    this.replay?.close();
    this.moves.skipAll();
    clearInterval(this.handPanel.clock);
    document.removeEventListener("pointerdown", this.onTap);
    document.removeEventListener("keydown", this.onKey);
  }

  showEvent(event) {
    this.lastEvent = event;
    const words = eventText(event, this);
    if (words) announce(words);
    this.moves.push(event);
    this.render();
  }

  showOffer(offer) {
    announce(rematchText(this.game, offer));
    sound("turn");
  }

  async showMove(event, skip) {
    const { showMove } = await import("./move_animation.js");
    if (!this.closing.signal.aborted && this.boardArea?.isConnected) await showMove(this, event, skip);
  }

  /** Shows the tiles of a move that has arrived, with its lines. */
  revealMove(event) {
    this.arrived = event;
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
    this.moves.skipAll();
    this.handPanel.refusal = null;
    this.busy = true;
    this.render();
    let result = null;
    try {
      result = (await action(this.as(as))) ?? {};
      clearErrors();
    } catch (error) {
      this.handPanel.refuse(errorText(error));
    }
    this.busy = false;
    if (this.closing.signal.aborted) return result;
    if (result && this.localSeats.length > 1 && as !== "host") this.revealedSeat = null;
    if (result?.game && as === this.viewer) this.accept(result.game, as, true);
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
    const hand = seat === null ? [] : this.rackOrder.arrange(game.you.hand);
    const mayBid = seat !== null && game.you.actions.includes("bid");
    this.draft.update(seat, hand, game.board, openingOf(game, seat), mayBid);
    this.players.show(this);
    this.handPanel.show();
    if (!this.moves.busy) this.settled();
    if (!this.replay) this.renderBoard();
  }

  /** Everything that has happened has been shown. */
  settled() {
    const { game } = this;
    this.scoreSheet?.show();
    const mine = game.you?.actions.length && this.localSeats.length === 1;
    showTurn(mine ? `${game.id} ${game.turn.number}` : null);
    if (game.status === "finished" && this.sawPlaying) sound("end");
    this.sawPlaying = game.status === "playing";
  }

  renderBoard() {
    const { game, arrived } = this;
    const { verdict, laid } = this.draft;
    const hidden = this.moves.hidden(this.localSeats);
    for (const { x, y } of arrived?.placements ?? []) hidden.delete(`${x},${y}`);
    const tiles = game.board.filter(({ x, y }) => !hidden.has(`${x},${y}`));
    const last = Math.max(0, ...tiles.map((each) => each.turn));
    this.lastCells = tiles.filter((each) => each.turn === last && last > 0);
    const shownLines = this.moves.busy && arrived === this.moves.waiting[0] ? arrived.lines : [];
    this.board.setLabels();
    this.board.show({
      tiles,
      fresh: new Set(this.lastCells.map(({ x, y }) => `${x},${y}`)),
      laid,
      open: this.handPanel.tileActions.openCells(),
      lines: verdict?.play?.lines ?? this.highlightedLines ?? shownLines,
      faults: verdict?.faults ?? [],
    });
    this.pointer?.update();
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

  /** Zooms in to where one plays: the draft, or else the last move. */
  closeUp() {
    const near = [this.draft.laid, this.lastCells ?? [], this.board.extent()];
    this.board.closeUp(near.find((cells) => cells.length));
  }

  /** Lays out the best play. */
  async hint() {
    try {
      const best = { limit: 1, sort: "points" };
      const found = await this.as(this.viewer).legalPlays(best, { patience: 0 });
      const [play] = found.plays;
      if (play) {
        this.draft.layOut(play.placements);
        this.board.follow(play.placements);
        announce(t("hint.found", { count: play.points }));
      } else toast(t(found.may_pass ? "hint.pass" : "hint.none"));
    } catch (error) {
      showError(error);
    }
  }

  /** Opens the replay, which can also verify the game. */
  async openReplay() {
    const { Replay } = await import("./replay.js");
    const record = await this.as(null)
      .record({ signal: this.closing.signal })
      .catch(showError);
    if (!record || this.closing.signal.aborted) return;
    this.replay = new Replay(this, record);
  }

  closeReplay() {
    this.replay = null;
    this.render();
  }
}
