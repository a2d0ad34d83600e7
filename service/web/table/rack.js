// A hand of tiles, which can be selected by tap or key and dragged to the board.

import { drag } from "./drag.js";
import { h, setAttr } from "./dom.js";
import { tileSvg } from "./tiles.js";
import { t, tileName } from "./i18n.js";

export class Rack {
  /** `handlers` has `pick(slot)`, `lift(slot)`, `over(slot, x, y)`, `drop(slot, x, y)`, `size()`. */
  constructor(handlers) {
    this.handlers = handlers;
    this.element = h("div", { class: "rack", role: "group" });
    this.element.addEventListener("keydown", (event) => this.moveFocus(event));
    this.shown = "";
  }

  show(draft, enabled) {
    setAttr(this.element, "aria-label", t("hand.label"));
    const hand = draft.hand.join();
    if (hand !== this.shown || this.element.children.length !== draft.hand.length) {
      this.shown = hand;
      this.element.replaceChildren(...draft.hand.map((tile, slot) => this.button(tile, slot)));
    }
    [...this.element.children].forEach((button, slot) => {
      const laid = Boolean(draft.ofSlot(slot));
      const several = draft.exchanging ?? draft.bidding;
      const on = several ? several.has(slot) : draft.selected === slot;
      setAttr(
        button,
        "class",
        ["slot", laid && "out", on && "on", draft.exchanging && "giving"].filter(Boolean).join(" "),
      );
      setAttr(button, "aria-pressed", String(on));
      setAttr(button, "aria-disabled", enabled ? null : "true");
      const name = { tile: tileName(draft.hand[slot]), number: slot + 1 };
      setAttr(button, "aria-label", t(laid ? "hand.tile_laid" : "hand.tile", name));
    });
  }

  button(tile, slot) {
    const button = h(
      "button",
      { type: "button", "data-slot": slot, "data-tile": tile },
      tileSvg(tile),
    );
    button.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      button.focus({ preventScroll: true });
      drag(event, tile, {
        size: () => Math.max(32, this.handlers.size()),
        lift: () => this.handlers.lift(slot),
        over: (x, y) => this.handlers.over(slot, x, y),
        drop: (x, y) => this.handlers.drop(slot, x, y),
        tap: () => this.handlers.pick(slot, false),
      });
    });
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.handlers.pick(slot, true);
    });
    // Voice and switch control click without a pointer or key event before.
    button.addEventListener(
      "click",
      (event) => event.detail === 0 && this.handlers.pick(slot, true),
    );
    return button;
  }

  /** The place on the rack under a point of the screen, or null. */
  placeAt(x, y) {
    const box = this.element.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) return null;
    const middles = [...this.element.children].map((slot) => slot.getBoundingClientRect());
    const apart = middles.map((slot) =>
      Math.hypot(x - slot.left - slot.width / 2, y - slot.top - slot.height / 2),
    );
    return apart.indexOf(Math.min(...apart));
  }

  moveFocus(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const here = event.target.closest(".slot");
    if (!step || !here) return;
    event.preventDefault();
    (step < 0 ? here.previousElementSibling : here.nextElementSibling)?.focus();
  }
}
