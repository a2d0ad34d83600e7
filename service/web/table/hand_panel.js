// The player's own side of the table: hand, verdict and what may be done.

import { now } from "./api.js";
import { h, say, set, write } from "./dom.js";
import { Moving } from "./tile_actions.js";
import { openingOf } from "./draft.js";
import { Rack } from "./rack.js";
import { clockWords, eventWords } from "./event_text.js";
import { t } from "./i18n.js";

export class Dock {
  constructor(table) {
    this.table = table;
    this.moving = new Moving(table, this);
    this.rack = new Rack({
      pick: (slot, byKey) => this.moving.pick(slot, byKey),
      dropped: (slot, x, y) => this.moving.dropped(slot, x, y),
      over: (x, y) => table.board.hover(this.moving.freeCell(x, y)),
    });
    this.status = h("p", { class: "status", id: "status" });
    this.time = h("span", { class: "time", role: "timer" });
    this.buttons = {
      play: this.button("primary", () => this.play()),
      back: this.button("", () => table.placing.takeBack()),
      clear: this.button("", () => table.placing.clear()),
      hint: this.button("", () => table.hint()),
      exchange: this.button("", () => this.exchange()),
      cancel: this.button("", () => table.placing.exchange(false)),
      pass: this.button("primary", () => table.act("passes")),
    };
    this.actions = h("div", { class: "actions" }, ...Object.values(this.buttons));
    this.panel = h("div", { class: "panel" });
    this.element = h(
      "section",
      { class: "dock" },
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
    return this.table.game?.you?.actions ?? [];
  }

  get placing() {
    return this.table.placing;
  }

  show() {
    const { game, viewer, busy } = this.table;
    set(this.element, "aria-label", t("dock.label"));
    this.element.dataset.may = this.may.join(" ");
    const playing =
      game.status === "playing" &&
      viewer !== null &&
      !game.players.find((p) => p.seat === viewer)?.resigned;
    const { laid, giving, verdict } = this.placing;
    const { buttons, may } = this;
    const points = verdict?.play ? verdict.play.points + verdict.play.bonus : null;
    write(buttons.play, points === null ? t("act.play") : t("act.play_for", { count: points }));
    write(buttons.back, t("act.back"));
    write(buttons.clear, t("act.clear"));
    write(buttons.hint, t("act.hint"));
    write(
      buttons.exchange,
      giving ? t("act.exchange_these", { count: giving.size }) : t("act.exchange"),
    );
    write(buttons.cancel, t("act.cancel"));
    write(buttons.pass, t("act.pass"));
    buttons.play.hidden = !playing || Boolean(giving);
    buttons.play.disabled = busy || !may.includes("play") || points === null;
    buttons.back.hidden = !laid.length || Boolean(giving);
    buttons.clear.hidden = laid.length < 2 || Boolean(giving);
    buttons.hint.hidden = !playing || !game.hints || laid.length > 0 || Boolean(giving);
    buttons.exchange.hidden = !playing || laid.length > 0 || !may.includes("exchange");
    buttons.exchange.disabled = busy || (giving && giving.size === 0) || false;
    set(buttons.exchange, "class", giving ? "primary" : null);
    buttons.cancel.hidden = !giving;
    buttons.pass.hidden = !may.includes("pass");
    buttons.pass.disabled = busy;
    this.rack.element.hidden =
      viewer === null || game.status === "finished" || !this.placing.hand.length;
    this.actions.hidden = !playing;
    this.rack.show(this.placing, playing && !busy);
    const mine = may.length > 0;
    document.title = mine ? `${t("status.your_turn")} ${t("page.title")}` : t("page.title");
    this.showPanel();
    this.showStatus();
    this.tick();
  }

  showStatus() {
    const { placing, table } = this;
    const { verdict } = placing;
    const fault = Boolean(verdict && !verdict.play && !verdict.begun);
    this.status.classList.toggle("fault", fault);
    const words = this.words();
    const spoken = this.status.textContent !== words && (placing.laid.length || placing.giving);
    write(this.status, words);
    if (spoken && verdict)
      say([words, ...(verdict.faults ?? []).map((each) => each.detail)].join(" "));
    set(table.board.element, "aria-describedby", "status");
  }

  words() {
    const { placing, table } = this;
    const { game } = table;
    const { verdict, laid, giving } = placing;
    if (table.busy) return t("status.sending");
    if (giving) return t("status.choose_exchange");
    if (laid.length && !verdict) return t("status.asking");
    if (verdict?.play)
      return t("status.would_score", { count: verdict.play.points + verdict.play.bonus });
    if (verdict?.begun) return this.turnWords(game);
    const atCells = verdict?.faults.some((fault) => fault.cells.length);
    if (atCells) return t("status.not_fit", { count: verdict.faults.length });
    if (verdict) return verdict.words ?? t("status.unasked");
    if (game.status === "finished") return "";
    const news = table.news && eventWords(table.news, table);
    const turn = this.turnWords(game);
    return [news, turn].filter(Boolean).join(" ");
  }

  turnWords(game) {
    if (game.status === "bidding") return this.table.due === null ? t("status.others_bid") : "";
    const mine = game.turn.seat === this.table.viewer;
    if (!mine) return t("status.turn_of", { name: this.table.name(game.turn.seat) });
    const opening = openingOf(game, game.turn.seat);
    if (opening) return t("status.you_open", { count: opening });
    if (this.may.includes("pass")) return t("status.must_pass");
    if (!this.may.includes("play")) return t("status.must_exchange");
    return t("status.your_turn");
  }

  tick() {
    const deadline = this.table.game?.turn?.deadline;
    const left = deadline ? Date.parse(deadline) - now() : null;
    this.time.hidden = left === null;
    if (left === null) return;
    write(this.time, clockWords(left));
    this.time.classList.toggle("soon", left < 15_000);
  }

  /** Above the hand: bids, whose hand it is, the end. */
  async showPanel() {
    const { table } = this;
    const { game, due, viewer, here } = table;
    const hidden = here.length > 1 && (viewer === null || (due !== null && due !== viewer));
    let kind = "none";
    if (game.status === "finished") kind = `end ${game.id}`;
    else if (hidden) kind = `curtain ${due} ${here}`;
    else if (game.status === "bidding" && due !== null) kind = `bid ${due}`;
    else if (viewer === null) kind = "watching";
    kind += ` ${document.documentElement.lang} ${Boolean(table.replay)}`;
    if (hidden) this.rack.element.hidden = true;
    if (hidden) this.actions.hidden = true;
    if (kind === this.panelKind) return;
    this.panelKind = kind;
    const panels = kind.startsWith("none") ? null : await import("./panels.js");
    if (kind !== this.panelKind) return;
    this.panel.replaceChildren(...(panels ? panels.build(kind.split(" ")[0], table) : []));
  }

  // What is done with the turn

  async play() {
    const placements = this.placing.placements();
    const result = await this.table.act("plays", { placements });
    if (result) say(t("event.you_played", { count: result.play.points + result.play.bonus }));
    if (result && this.table.viewer !== null)
      this.table.board.element.focus({ preventScroll: true });
  }

  async exchange() {
    if (!this.placing.giving) return this.placing.exchange(true);
    const result = await this.table.act("exchanges", { tiles: this.placing.given() });
    // The hand may hold the same kinds as before, so it would not show that this is done.
    if (result) this.placing.exchange(false);
    return result;
  }
}
