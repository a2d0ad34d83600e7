// The player's panel: status, hand and actions.

import { qwirkle } from "./api.js";
import { h, announce, setAttr, setText } from "./dom.js";
import { TileActions } from "./tile_actions.js";
import { openingOf } from "./draft.js";
import { Rack } from "./rack.js";
import { clockText, eventText } from "./event_text.js";
import { t } from "./i18n.js";

export class HandPanel {
  constructor(controller) {
    this.controller = controller;
    this.tileActions = new TileActions(controller, this);
    this.rack = new Rack({
      pick: (slot, byKey) => this.tileActions.pick(slot, byKey),
      drop: (slot, x, y) => this.tileActions.drop(slot, x, y),
      over: (x, y) => controller.board.hover(this.tileActions.freeCell(x, y)),
    });
    this.status = h("p", { class: "status", id: "status" });
    this.time = h("span", { class: "time", role: "timer" });
    this.buttons = {
      play: this.button("primary", () => this.play()),
      back: this.button("", () => controller.draft.takeBack()),
      clear: this.button("", () => controller.draft.clear()),
      hint: this.button("", () => controller.hint()),
      exchange: this.button("", () => this.exchange()),
      cancel: this.button("", () => controller.draft.exchange(false)),
      pass: this.button("primary", () => controller.act((game) => game.pass())),
    };
    this.actions = h("div", { class: "actions" }, ...Object.values(this.buttons));
    this.panel = h("div", { class: "panel" });
    this.element = h(
      "section",
      { class: "hand-panel" },
      h("div", { class: "says" }, this.status, this.time),
      this.panel,
      this.rack.element,
      this.actions,
    );
    this.clock = setInterval(() => this.tick(), 500);
  }

  button(kind, act) {
    return h("button", { type: "button", class: kind || null, onclick: act });
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
    const { laid, exchanging, verdict } = this.draft;
    const { buttons, may } = this;
    const points = verdict?.play ? verdict.play.points + verdict.play.bonus : null;
    setText(buttons.play, points === null ? t("act.play") : t("act.play_for", { count: points }));
    setText(buttons.back, t("act.back"));
    setText(buttons.clear, t("act.clear"));
    setText(buttons.hint, t("act.hint"));
    setText(
      buttons.exchange,
      exchanging ? t("act.exchange_these", { count: exchanging.size }) : t("act.exchange"),
    );
    setText(buttons.cancel, t("act.cancel"));
    setText(buttons.pass, t("act.pass"));
    buttons.play.hidden = !playing || Boolean(exchanging);
    buttons.play.disabled = busy || !may.includes("play") || points === null;
    buttons.back.hidden = !laid.length || Boolean(exchanging);
    buttons.clear.hidden = laid.length < 2 || Boolean(exchanging);
    buttons.hint.hidden = !playing || !game.hints || laid.length > 0 || Boolean(exchanging);
    buttons.exchange.hidden = !playing || laid.length > 0 || !may.includes("exchange");
    buttons.exchange.disabled = busy || (exchanging && exchanging.size === 0) || false;
    setAttr(buttons.exchange, "class", exchanging ? "primary" : null);
    buttons.cancel.hidden = !exchanging;
    buttons.pass.hidden = !may.includes("pass");
    buttons.pass.disabled = busy;
    this.rack.element.hidden =
      viewer === null || game.status === "finished" || !this.draft.hand.length;
    this.actions.hidden = !playing;
    this.rack.show(this.draft, playing && !busy);
    const mine = may.length > 0;
    document.title = mine ? `${t("status.your_turn")} ${t("page.title")}` : t("page.title");
    this.showPanel();
    this.showStatus();
    this.tick();
  }

  showStatus() {
    const { draft, controller } = this;
    const { verdict } = draft;
    const fault = Boolean(verdict && !verdict.play && !verdict.incomplete);
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
    if (controller.busy) return t("status.sending");
    if (exchanging) return t("status.choose_exchange");
    if (laid.length && !verdict) return t("status.asking");
    if (verdict?.play)
      return t("status.would_score", { count: verdict.play.points + verdict.play.bonus });
    if (verdict?.incomplete) return this.turnText(game);
    const atCells = verdict?.faults.some((fault) => fault.cells.length);
    if (atCells) return t("status.not_fit", { count: verdict.faults.length });
    if (verdict) return verdict.message ?? t("status.unasked");
    if (game.status === "finished") return "";
    const lastEvent = controller.lastEvent && eventText(controller.lastEvent, controller);
    const turn = this.turnText(game);
    return [lastEvent, turn].filter(Boolean).join(" ");
  }

  turnText(game) {
    if (game.status === "bidding")
      return this.controller.seatToAct === null ? t("status.others_bid") : "";
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
    else if (game.status === "bidding" && seatToAct !== null) kind = `bid ${seatToAct}`;
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
    const result = await this.controller.act((game) => game.play(placements));
    if (result) announce(t("event.you_played", { count: result.play.points + result.play.bonus }));
    if (result && this.controller.viewer !== null)
      this.controller.board.element.focus({ preventScroll: true });
  }

  async exchange() {
    if (!this.draft.exchanging) return this.draft.exchange(true);
    const tiles = this.draft.tilesToExchange();
    const result = await this.controller.act((game) => game.exchange(tiles));
    // The new hand may equal the old one, and then nothing else would end the exchange.
    if (result) this.draft.exchange(false);
    return result;
  }
}
