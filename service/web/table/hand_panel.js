// The player's panel: status, hand and actions.

import { qwirkle } from "./api.js";
import { h, announce, motionReduced, setAttr, setText } from "./dom.js";
import { iconButton, nameButton } from "./icons.js";
import { TileActions } from "./tile_actions.js";
import { openingOf } from "./draft.js";
import { Rack } from "./rack.js";
import { clockText, eventText, openingText } from "./event_text.js";
import { t } from "./i18n.js";

export class HandPanel {
  constructor(controller) {
    this.controller = controller;
    this.tileActions = new TileActions(controller, this);
    this.rack = new Rack({
      pick: (slot, byKey) => this.tileActions.pick(slot, byKey),
      drop: (slot, x, y) => this.tileActions.drop(slot, x, y),
      over: (slot, x, y) => this.tileActions.over(slot, x, y),
      lift: (slot) => this.tileActions.lift(slot),
      size: () => controller.board.viewport.scale,
    });
    this.status = h("p", { class: "status", id: "status" });
    this.time = h("span", { class: "time", role: "timer" });
    // Two places that never move; what they say changes.
    this.left = h("button", { type: "button", onclick: () => this.leftAction?.() });
    this.right = h("button", { type: "button", class: "primary", onclick: () => this.rightAction?.() });
    this.hintButton = iconButton("hint", { id: "hint", onclick: () => controller.hint() });
    this.sortButton = iconButton("sort", { id: "sort", onclick: () => this.sort() });
    this.sheetButton = iconButton("sheet", { id: "sheet", onclick: () => controller.scoreSheet?.toggle() });
    this.actions = h("div", { class: "actions" }, this.left, this.right);
    this.panel = h("div", { class: "panel" });
    this.element = h(
      "section",
      { class: "hand-panel" },
      h(
        "div",
        { class: "says" },
        h("div", { class: "words" }, this.status, this.time),
        this.hintButton,
        this.sortButton,
        this.sheetButton,
      ),
      this.panel,
      this.rack.element,
      this.actions,
    );
    this.clock = setInterval(() => this.tick(), 500);
  }

  get may() {
    return this.controller.game?.you?.actions ?? [];
  }

  get draft() {
    return this.controller.draft;
  }

  show() {
    const { game, viewer, busy } = this.controller;
    setAttr(this.element, "aria-label", t("dock.label"));
    this.element.dataset.may = this.may.join(" ");
    const playing =
      game.status === "playing" &&
      viewer !== null &&
      !game.players.find((p) => p.seat === viewer)?.resigned;
    nameButton(this.hintButton, t("act.hint"));
    nameButton(this.sortButton, t("act.sort"));
    nameButton(this.sheetButton, t("side.open"));
    this.showButtons(playing, busy);
    this.hintButton.hidden = !playing || !game.hints || Boolean(this.draft.exchanging);
    this.sortButton.hidden = !playing;
    this.rack.element.hidden =
      viewer === null || game.status === "finished" || !this.draft.hand.length;
    this.actions.hidden = !playing && game.status !== "bidding";
    this.rack.show(this.draft, (playing || this.draft.bidding) && !busy);
    document.title = this.may.length ? `● ${t("status.your_turn")}` : t("page.title");
    this.showPanel();
    this.showStatus();
    this.tick();
  }

  showButtons(playing, busy) {
    const { laid, exchanging, bidding, verdict } = this.draft;
    const { may } = this;
    const points = verdict?.play ? verdict.play.points + verdict.play.bonus : null;
    const set = (button, key, action, { values, enabled = true } = {}) => {
      setAttr(button, "class", button === this.right ? "primary" : null);
      button.hidden = key === null;
      button.disabled = busy || !enabled;
      if (key !== null) setText(button, t(key, values));
      this[button === this.left ? "leftAction" : "rightAction"] = action;
    };
    if (exchanging) {
      const values = { count: exchanging.size };
      set(this.left, "act.cancel", () => this.draft.exchange(false));
      set(this.right, "act.exchange_these", () => this.exchange(), { values, enabled: exchanging.size > 0 });
      return;
    }
    if (laid.length) set(this.left, "act.back", () => this.draft.takeBack());
    else set(this.left, may.includes("exchange") ? "act.exchange" : null, () => this.draft.exchange(true));
    if (bidding) {
      const values = { count: bidding.size };
      set(this.right, "bid.of", () => this.bid(), { values, enabled: bidding.size > 0 });
    } else if (may.includes("pass")) set(this.right, "act.pass", () => this.pass());
    else if (playing && points !== null) {
      const enabled = may.includes("play");
      set(this.right, "act.play_for", () => this.play(), { values: { count: points }, enabled });
    } else set(this.right, playing ? "act.play" : null, () => {}, { enabled: false });
  }

  sort() {
    this.controller.rackOrder.sort();
    this.controller.render();
  }

  /** Says why something was refused, where the player looks. */
  refuse(text) {
    this.refusal = text;
    announce(text);
    if (!motionReduced()) {
      const frames = [0, -5, 5, -3, 0].map((x) => ({ transform: `translateX(${x}px)` }));
      this.rack.element.animate(frames, { duration: 200 });
    }
  }

  showStatus() {
    const { draft, controller } = this;
    const { verdict } = draft;
    const fault = Boolean(this.refusal || (verdict && !verdict.play && !verdict.incomplete));
    this.status.classList.toggle("fault", fault);
    const text = this.statusText();
    const spoken = this.status.textContent !== text && (draft.laid.length || draft.exchanging);
    setText(this.status, text);
    if (spoken && verdict)
      announce([text, ...(verdict.faults ?? []).map((each) => each.detail)].join(" "));
    setAttr(controller.board.element, "aria-describedby", "status");
  }

  statusText() {
    const { draft, controller } = this;
    const { game } = controller;
    const { verdict, laid, exchanging } = draft;
    if (this.refusal) return this.refusal;
    if (exchanging) return t("status.choose_exchange");
    if (laid.length && !verdict) return this.status.textContent;
    if (verdict?.play)
      return t("status.would_score", { count: verdict.play.points + verdict.play.bonus });
    if (verdict?.incomplete) return this.turnText(game);
    const atCells = verdict?.faults.some((fault) => fault.cells.length);
    if (atCells) return t("status.not_fit", { count: verdict.faults.length });
    if (verdict) return verdict.message ?? t("status.unasked");
    if (game.status === "finished") return "";
    const [showing] = controller.moves.waiting;
    const event = showing ?? controller.lastEvent;
    const words = event ? eventText(event, controller) : openingText(game, controller);
    return [words, showing ? null : this.turnText(game)].filter(Boolean).join(" ");
  }

  turnText(game) {
    if (game.status === "bidding")
      return t(this.controller.seatToAct === null ? "status.others_bid" : "bid.question");
    const mine = game.turn.seat === this.controller.viewer;
    if (!mine) return t("status.turn_of", { name: this.controller.name(game.turn.seat) });
    const opening = openingOf(game, game.turn.seat);
    if (opening) return t("status.you_open", { count: opening });
    if (this.may.includes("pass")) return t("status.must_pass");
    if (!this.may.includes("play")) return t("status.must_exchange");
    return t("status.your_turn");
  }

  tick() {
    const deadline = this.controller.game?.turn?.deadline;
    const left = deadline ? Date.parse(deadline) - qwirkle.now() : null;
    this.time.hidden = left === null;
    if (left === null) return;
    setText(this.time, clockText(left));
    this.time.classList.toggle("soon", left < 15_000);
  }

  /** Shows the panel above the hand: bids, whose hand it is, or the result. */
  async showPanel() {
    const { controller } = this;
    const { game, seatToAct, viewer, localSeats } = controller;
    const hidden =
      localSeats.length > 1 && (viewer === null || (seatToAct !== null && seatToAct !== viewer));
    let kind = "none";
    if (game.status === "finished") kind = `end ${game.id} ${game.rematch?.seats ?? ""}`;
    else if (hidden) kind = `curtain ${seatToAct} ${localSeats}`;
    else if (viewer === null) kind = "watching";
    kind += ` ${document.documentElement.lang} ${Boolean(controller.replay)}`;
    if (hidden) this.rack.element.hidden = true;
    if (hidden) this.actions.hidden = true;
    if (kind === this.panelKind) return;
    this.panelKind = kind;
    const panels = kind.startsWith("none") ? null : await import("./prompts.js");
    if (kind !== this.panelKind) return;
    this.panel.replaceChildren(...(panels ? panels.build(kind.split(" ")[0], controller) : []));
  }

  // Actions

  async play() {
    const placements = this.draft.placementsToSend();
    this.draft.centre();
    const result = await this.controller.act((game) => game.play(placements));
    if (result && this.controller.viewer !== null)
      this.controller.board.element.focus({ preventScroll: true });
  }

  async bid() {
    const tiles = this.draft.tilesToBid();
    const result = await this.controller.act((game) => game.bid(tiles));
    if (result) this.controller.board.element.focus({ preventScroll: true });
  }

  pass() {
    return this.controller.act((game) => game.pass());
  }

  async exchange() {
    const tiles = this.draft.tilesToExchange();
    const result = await this.controller.act((game) => game.exchange(tiles));
    // The new hand may equal the old one, and then nothing else would end the exchange.
    if (result) this.draft.exchange(false);
    return result;
  }
}
