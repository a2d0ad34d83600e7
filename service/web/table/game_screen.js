// The layout of a game: players, board, hand panel and sidebar.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { iconButton, nameButton } from "./icons.js";
import { Pointer } from "./pointer.js";

/** Builds the layout; returns the elements of the board and of the sidebar. */
export function buildLayout(controller) {
  const { board } = controller;
  const overview = iconButton("overview", { id: "overview", onclick: () => toggle() });
  const toggle = () => (board.isOverview ? controller.closeUp() : board.fit());
  nameButton(overview, t("board.fit"));
  const pointer = new Pointer(controller);
  const boardArea = h(
    "section",
    { class: "board-area", "aria-label": t("board.section") },
    board.element,
    pointer.element,
    h("div", { class: "corner" }, overview),
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
  return { boardArea, sidebar, pointer };
}
