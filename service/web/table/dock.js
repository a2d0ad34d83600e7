// The player's own side of the table: hand, verdict and what may be done.

import { now } from "./api.js";
import { drag } from "./drag.js";
import { h, say, set, toast, write } from "./dom.js";
import { Rack } from "./rack.js";
import { clockWords, eventWords } from "./telling.js";
import { tileName, t } from "./words.js";

export class Dock {
  constructor(table) {
    this.table = table;
    this.rack = new Rack({
      pick: (slot, byKey) => this.pick(slot, byKey),
      dropped: (slot, x, y) => this.dropped(slot, x, y),
      over: (x, y) => table.board.hover(this.freeCell(x, y)),
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
    this.element = h("section", { class: "dock" },
      h("div", { class: "says" }, this.status, this.time), this.panel, this.rack.element, this.actions);
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
    const playing = game.status === "playing" && viewer !== null && !game.players.find((p) => p.seat === viewer)?.resigned;
    const { laid, giving, verdict } = this.placing;
    const { buttons, may } = this;
    const points = verdict?.play ? verdict.play.points + verdict.play.bonus : null;
    write(buttons.play, points === null ? t("act.play") : t("act.play_for", { count: points }));
    write(buttons.back, t("act.back"));
    write(buttons.clear, t("act.clear"));
    write(buttons.hint, t("act.hint"));
    write(buttons.exchange, giving ? t("act.exchange_these", { count: giving.size }) : t("act.exchange"));
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
    this.rack.element.hidden = viewer === null || game.status === "finished" || !this.placing.hand.length;
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
    const fault = Boolean(verdict && !verdict.play);
    this.status.classList.toggle("fault", fault);
    const words = this.words();
    const spoken = this.status.textContent !== words && (placing.laid.length || placing.giving);
    write(this.status, words);
    if (spoken && verdict) say([words, ...(verdict.faults ?? []).map((each) => each.detail)].join(" "));
    set(table.board.element, "aria-describedby", "status");
  }

  words() {
    const { placing, table } = this;
    const { game } = table;
    const { verdict, laid, giving } = placing;
    if (table.busy) return t("status.sending");
    if (giving) return t("status.choose_exchange");
    if (laid.length && !verdict) return t("status.asking");
    if (verdict?.play) return t("status.would_score", { count: verdict.play.points + verdict.play.bonus });
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
    if (game.turn.opening) {
      const bid = game.players.find((each) => each.seat === game.turn.seat).bid;
      return t("status.you_open", { count: bid });
    }
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

  // What is done with tiles

  /** Cells worth pointing at while a tile is in hand: beside what lies there. */
  openCells() {
    const { game } = this.table;
    if (this.placing.selected === null) return [];
    const lying = [...game.board, ...this.placing.laid];
    if (!lying.length) return [{ x: 0, y: 0 }];
    const taken = new Set(lying.map(({ x, y }) => `${x},${y}`));
    const found = new Map();
    for (const { x, y } of lying) {
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        const cell = { x: x + dx, y: y + dy };
        if (!taken.has(`${cell.x},${cell.y}`)) found.set(`${cell.x},${cell.y}`, cell);
      }
    }
    return [...found.values()];
  }

  freeCell(x, y) {
    const cell = this.table.board.cellAt(x, y);
    const taken = cell && this.table.game.board.some((each) => each.x === cell.x && each.y === cell.y);
    const stage = document.elementFromPoint(x, y)?.closest(".stage");
    return cell && !taken && stage ? cell : null;
  }

  pick(slot, byKey) {
    if (this.table.busy || this.table.game.status !== "playing") return;
    this.placing.pick(slot);
    const chosen = this.placing.selected === slot;
    if (chosen) say(t("hand.chosen", { tile: tileName(this.placing.hand[slot]) }));
    if (chosen && byKey) this.table.board.element.focus({ preventScroll: true });
  }

  dropped(slot, x, y) {
    const { table, placing } = this;
    table.board.hover(null);
    if (table.busy || table.game.status !== "playing" || placing.giving) return;
    const cell = this.freeCell(x, y);
    if (cell) placing.put(slot, cell);
    else if (placing.at(slot)) placing.takeBack(placing.at(slot));
  }

  /** A tap or Enter on a cell: lays the chosen tile, or takes back the one there. */
  chooseCell(cell) {
    const { placing, table } = this;
    if (table.busy || table.replay || placing.giving) return;
    if (placing.selected !== null) this.lay(placing.selected, cell);
    else this.back(cell);
  }

  lay(slot, cell) {
    const tile = tileName(this.placing.hand[slot]);
    if (this.placing.put(slot, cell)) say(t("hand.laid", { tile, ...cell }));
    else toast(t("hand.not_free"));
  }

  back(cell) {
    const tile = this.placing.takeBack(cell);
    if (tile) say(t("hand.taken_back", { tile: tileName(tile.tile) }));
  }

  /** A finger on a laid tile drags it. */
  lift(cell, event) {
    const tile = this.placing.on(cell);
    if (!tile || this.table.busy) return false;
    const { board } = this.table;
    drag(event, tile.tile, {
      size: board.camera.scale,
      over: (x, y) => board.hover(this.freeCell(x, y)),
      drop: (x, y) => this.dropped(tile.slot, x, y),
      tap: () => this.chooseCell(cell),
    });
    return true;
  }

  // What is done with the turn

  async play() {
    const placements = this.placing.placements();
    const result = await this.table.act("plays", { placements });
    if (result) say(t("event.you_played", { count: result.play.points + result.play.bonus }));
    if (result && this.table.viewer !== null) this.table.board.element.focus({ preventScroll: true });
  }

  async exchange() {
    if (!this.placing.giving) return this.placing.exchange(true);
    const result = await this.table.act("exchanges", { tiles: this.placing.given() });
    // The hand may hold the same kinds as before, so it would not show that this is done.
    if (result) this.placing.exchange(false);
    return result;
  }

  /** Keys for the whole table; typing in a field is left alone. */
  key(event) {
    const { table, placing } = this;
    if (!table.game || event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input, select, textarea")) return;
    const slot = Number(event.key) - 1;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (!this.buttons.play.disabled && !this.buttons.play.hidden) this.play();
    } else if (event.ctrlKey || event.metaKey) return;
    else if (slot >= 0 && slot < placing.hand.length) this.slotKey(slot);
    else if (event.key === "Backspace" || event.key === "Delete") this.back(placing.on(table.board.cursor) ? table.board.cursor : undefined);
    else if (event.key === "Escape") placing.giving ? placing.exchange(false) : placing.clear();
    else if (event.key.toLowerCase() === "h" && !this.buttons.hint.hidden) table.hint();
    else return;
    event.preventDefault();
  }

  /** A number lays that tile where the cursor is, if the board has it. */
  slotKey(slot) {
    const { board, game } = this.table;
    if (game.status !== "playing" || this.table.busy) return;
    if (document.activeElement === board.element && !this.placing.giving && !this.placing.at(slot)) {
      this.lay(slot, { ...board.cursor });
    } else this.pick(slot, false);
  }
}
