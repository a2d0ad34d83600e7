// A finished game once more, step by step, and the proof that it was fair.

import { h, say, write } from "./dom.js";
import { eventWords } from "./event_text.js";
import { tileDrawing } from "./tiles.js";
import { positions, verify } from "./verify.js";
import { t } from "./i18n.js";

const PACE = 900;

export class Replay {
  constructor(table, record) {
    this.table = table;
    this.record = record;
    this.steps = positions(record);
    this.slider = h("input", {
      type: "range",
      id: "step",
      min: "0",
      max: String(this.steps.length - 1),
      "aria-label": t("replay.slider"),
    });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.words = h("p", { class: "small" });
    this.hands = h("ul", { class: "hands" });
    this.proof = h("p", { class: "proof", role: "status", hidden: true });
    this.runner = this.button("▶", "replay.run", () => this.run());
    this.element = h(
      "section",
      { class: "replay", "aria-label": t("replay.title") },
      this.hands,
      this.words,
      this.slider,
      h(
        "div",
        { class: "choices" },
        this.button("«", "replay.first", () => this.go(0)),
        this.button("‹", "replay.back", () => this.go(this.at - 1)),
        this.runner,
        this.button("›", "replay.on", () => this.go(this.at + 1)),
        this.button("»", "replay.last", () => this.go(this.steps.length - 1)),
        h(
          "button",
          { type: "button", class: "primary", id: "verify", onclick: () => this.prove() },
          t("verify.do"),
        ),
        h("button", { type: "button", onclick: () => this.close() }, t("replay.close")),
      ),
      this.proof,
    );
    table.dock.element.append(this.element);
    table.dock.panel.hidden = true;
    this.go(this.steps.length - 1);
    this.slider.focus();
  }

  button(sign, word, act) {
    return h(
      "button",
      { type: "button", title: t(word), "aria-label": t(word), onclick: act },
      sign,
    );
  }

  /** Now that the game is over, every hand may be seen as it was. */
  hand({ name, seat }, position) {
    const tiles = position.hands?.[seat] ?? [];
    return h(
      "li",
      { class: position.seat === seat ? "turn" : null },
      h("span", { class: "who" }, name),
      h("b", {}, String(position.scores[seat] ?? 0)),
      ...tiles.map((tile) => tileDrawing(tile, { named: true, width: 22, height: 22 })),
    );
  }

  go(step) {
    this.at = Math.min(Math.max(step, 0), this.steps.length - 1);
    this.slider.value = String(this.at);
    const position = this.steps[this.at];
    const fresh = new Set(position.placements.map(({ x, y }) => `${x},${y}`));
    this.table.board.show({ tiles: position.board, fresh });
    this.hands.replaceChildren(
      ...this.table.game.players.map((player) => this.hand(player, position)),
    );
    const event = this.record.events[this.at];
    const told = eventWords({ ...event, name: event.name }, this.table) ?? t("replay.start");
    const words = `${t("replay.step", { n: this.at + 1, last: this.steps.length })}: ${told}`;
    write(this.words, words);
    this.slider.setAttribute("aria-valuetext", words);
  }

  /** Plays it like a film; the second press stops. */
  run() {
    if (this.timer) return this.stop();
    if (this.at === this.steps.length - 1) this.go(0);
    this.runner.textContent = "■";
    this.runner.setAttribute("aria-label", t("replay.stop"));
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at === this.steps.length - 1) this.stop();
    }, PACE);
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.runner.textContent = "▶";
    this.runner.setAttribute("aria-label", t("replay.run"));
  }

  /** Recomputes the whole game from its record, here in the browser. */
  async prove() {
    this.proof.hidden = false;
    this.proof.className = "proof";
    write(this.proof, t("verify.working"));
    let words;
    try {
      const { ok, checked_events: count, problem } = await verify(this.record);
      words = ok
        ? t("verify.right", { count })
        : t("verify.wrong", { n: problem.n, detail: problem.detail });
      this.proof.classList.add(ok ? "right" : "fault");
    } catch (error) {
      words = t("verify.impossible", { detail: error.message });
    }
    write(this.proof, words);
    say(words);
  }

  close() {
    this.stop();
    this.element.remove();
    this.table.dock.panel.hidden = false;
    if (this.table.replay === this) this.table.closeReplay();
  }
}
