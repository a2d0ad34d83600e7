// A hand of tiles: picked by tap or key, dragged to the table.

import { drag } from "./drag.js";
import { h, set } from "./dom.js";
import { tileDrawing } from "./tiles.js";
import { t, tileName } from "./i18n.js";

export class Rack {
  /** `act` has `pick(slot)`, `dropped(slot, x, y)` and `over(x, y)`. */
  constructor(act) {
    this.act = act;
    this.element = h("div", { class: "rack", role: "group" });
    this.element.addEventListener("keydown", (event) => this.walk(event));
    this.shown = "";
  }

  show(placing, enabled) {
    set(this.element, "aria-label", t("hand.label"));
    const hand = placing.hand.join();
    if (hand !== this.shown || this.element.children.length !== placing.hand.length) {
      this.shown = hand;
      this.element.replaceChildren(...placing.hand.map((tile, slot) => this.button(tile, slot)));
    }
    [...this.element.children].forEach((button, slot) => {
      const laid = Boolean(placing.at(slot));
      const on = placing.giving ? placing.giving.has(slot) : placing.selected === slot;
      set(
        button,
        "class",
        ["slot", laid && "out", on && "on", placing.giving && "giving"].filter(Boolean).join(" "),
      );
      set(button, "aria-pressed", String(on));
      set(button, "aria-disabled", enabled ? null : "true");
      const name = { tile: tileName(placing.hand[slot]), number: slot + 1 };
      set(button, "aria-label", t(laid ? "hand.tile_laid" : "hand.tile", name));
    });
  }

  button(tile, slot) {
    const button = h(
      "button",
      { type: "button", "data-slot": slot, "data-tile": tile },
      tileDrawing(tile),
    );
    button.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      button.focus({ preventScroll: true });
      drag(event, tile, {
        size: button.clientWidth,
        over: (x, y) => this.act.over(x, y),
        drop: (x, y) => this.act.dropped(slot, x, y),
        tap: () => this.act.pick(slot, false),
      });
    });
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.act.pick(slot, true);
    });
    // Whoever presses by voice or switch makes a click without a pointer or key before it.
    button.addEventListener("click", (event) => event.detail === 0 && this.act.pick(slot, true));
    return button;
  }

  walk(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const here = event.target.closest(".slot");
    if (!step || !here) return;
    event.preventDefault();
    (step < 0 ? here.previousElementSibling : here.nextElementSibling)?.focus();
  }
}
