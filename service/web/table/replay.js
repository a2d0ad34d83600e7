// The replay of a finished game, and its verification.

import { h, announce, setText } from "./dom.js";
import { eventText } from "./event_text.js";
import { tileSvg } from "./tiles.js";
import { positions, verify } from "./record/verify.js";
import { t } from "./i18n.js";

const STEP_MS = 900;

export class Replay {
  constructor(controller, record) {
    this.controller = controller;
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
    this.text = h("p", { class: "small" });
    this.hands = h("ul", { class: "hands" });
    this.proof = h("p", { class: "proof", role: "status", hidden: true });
    this.runner = this.button("▶", "replay.run", () => this.run());
    this.element = h(
      "section",
      { class: "replay", "aria-label": t("replay.title") },
      this.hands,
      this.text,
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
          { type: "button", class: "primary", id: "verify", onclick: () => this.verifyRecord() },
          t("verify.do"),
        ),
        h("button", { type: "button", onclick: () => this.close() }, t("replay.close")),
      ),
      this.proof,
    );
    controller.handPanel.element.append(this.element);
    controller.handPanel.panel.hidden = true;
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

  /** A player's hand at this position; after the game all hands are public. */
  hand({ name, seat }, position) {
    const tiles = position.hands?.[seat] ?? [];
    return h(
      "li",
      { class: position.seat === seat ? "turn" : null },
      h("span", { class: "who" }, name),
      h("b", {}, String(position.scores[seat] ?? 0)),
      ...tiles.map((tile) => tileSvg(tile, { named: true, width: 22, height: 22 })),
    );
  }

  /** The scores of the moment that is shown. */
  get scores() {
    return this.steps[this.at].scores;
  }

  go(step) {
    this.at = Math.min(Math.max(step, 0), this.steps.length - 1);
    this.slider.value = String(this.at);
    const position = this.steps[this.at];
    if (this.controller.replay === this) this.controller.players.show(this.controller);
    const fresh = new Set(position.placements.map(({ x, y }) => `${x},${y}`));
    this.controller.board.show({ tiles: position.board, fresh });
    this.hands.replaceChildren(
      ...this.controller.game.players.map((player) => this.hand(player, position)),
    );
    const event = this.record.events[this.at];
    const description =
      eventText({ ...event, name: event.name }, this.controller) ?? t("replay.start");
    const text = `${t("replay.step", { n: this.at + 1, last: this.steps.length })}: ${description}`;
    setText(this.text, text);
    this.slider.setAttribute("aria-valuetext", text);
  }

  /** Starts or stops the automatic replay. */
  run() {
    if (this.timer) return this.stop();
    if (this.at === this.steps.length - 1) this.go(0);
    this.runner.textContent = "■";
    this.runner.setAttribute("aria-label", t("replay.stop"));
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at === this.steps.length - 1) this.stop();
    }, STEP_MS);
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.runner.textContent = "▶";
    this.runner.setAttribute("aria-label", t("replay.run"));
  }

  /** Recomputes the whole game from its record in the browser. */
  async verifyRecord() {
    this.proof.hidden = false;
    this.proof.className = "proof";
    setText(this.proof, t("verify.working"));
    let text;
    try {
      const { ok, checked_events: count, problem } = await verify(this.record);
      text = ok
        ? t("verify.right", { count })
        : t("verify.wrong", { n: problem.n, detail: problem.detail });
      this.proof.classList.add(ok ? "right" : "fault");
    } catch (error) {
      text = t("verify.impossible", { detail: error.message });
    }
    setText(this.proof, text);
    announce(text);
  }

  close() {
    this.stop();
    this.element.remove();
    this.controller.handPanel.panel.hidden = false;
    if (this.controller.replay === this) this.controller.closeReplay();
  }
}
