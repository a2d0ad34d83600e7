// The room of a game: players, board, the player's own side, and what stands beside.

import { h } from "./dom.js";
import { t } from "./i18n.js";

/** Builds it; answers where the board stands and where the score sheet will. */
export function setTable(table) {
  const corner = (sign, word, act) =>
    h("button", { type: "button", title: t(word), "aria-label": t(word), onclick: act }, sign);
  const stage = h(
    "section",
    { class: "stage", "aria-label": t("board.section") },
    table.board.element,
    h(
      "div",
      { class: "corner" },
      corner("+", "board.zoom_in", () => table.zoom(1.25)),
      corner("−", "board.zoom_out", () => table.zoom(0.8)),
      corner("⤢", "board.fit", () => table.board.fit()),
    ),
  );
  const aside = h("aside", { class: "side", "aria-label": t("side.label") });
  table.main.replaceChildren(
    h("h1", { class: "unseen-by-eyes" }, t("table.title")),
    h("div", { class: "table" }, table.players.element, stage, table.dock.element, aside),
  );
  return { stage, aside };
}
