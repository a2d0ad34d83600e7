// The layout of a game: players, board, hand panel and sidebar.

import { h } from "./dom.js";
import { t } from "./i18n.js";

/** Builds the layout; returns the elements of the board and of the sidebar. */
export function buildLayout(controller) {
  const corner = (sign, word, act) =>
    h("button", { type: "button", title: t(word), "aria-label": t(word), onclick: act }, sign);
  const boardArea = h(
    "section",
    { class: "board-area", "aria-label": t("board.section") },
    controller.board.element,
    h(
      "div",
      { class: "corner" },
      corner("+", "board.zoom_in", () => controller.zoom(1.25)),
      corner("−", "board.zoom_out", () => controller.zoom(0.8)),
      corner("⤢", "board.fit", () => controller.board.fit()),
    ),
  );
  const sidebar = h("aside", { class: "sidebar", "aria-label": t("side.label") });
  controller.main.replaceChildren(
    h("h1", { class: "visually-hidden" }, t("table.title")),
    h(
      "div",
      { class: "game" },
      controller.players.element,
      boardArea,
      controller.handPanel.element,
      sidebar,
    ),
  );
  return { boardArea, sidebar };
}
