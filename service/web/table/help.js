// The rules in short and the ways to play, loaded when they are opened.

import { dialog, h } from "./dom.js";
import { t } from "./i18n.js";

/** The rules in short, and the keyboard shortcuts. */
export function openHelp() {
  const keys = ["arrows", "numbers", "enter", "back", "play", "hint", "zoom", "pan"];
  const rows = keys.map((key) =>
    h("tr", {}, h("th", { scope: "row" }, t(`help.${key}_key`)), h("td", {}, t(`help.${key}`))),
  );
  dialog(
    t("help.title"),
    t("menu.close"),
    h(
      "ul",
      { class: "rules" },
      ...["rules.line", "rules.turn", "rules.score", "rules.end"].map((key) => h("li", {}, t(key))),
    ),
    h("h3", {}, t("help.touch_title")),
    h("p", {}, t("help.touch")),
    h("h3", {}, t("help.keys_title")),
    h("table", { class: "keys" }, h("tbody", {}, ...rows)),
  );
}
