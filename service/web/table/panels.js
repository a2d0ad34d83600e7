// What stands above the hand at times: the bid, the curtain between hands, the end.

import { h, toast } from "./dom.js";
import { send } from "./outbox.js";
import { winnerWords } from "./event_text.js";
import { remember, tableOf } from "./local_storage.js";
import { t } from "./i18n.js";

/** The elements of a panel. */
export function build(kind, table) {
  return { bid, curtain, watching, end }[kind](table);
}

function bid(table) {
  const buttons = Array.from({ length: 6 }, (_, index) =>
    h(
      "button",
      {
        type: "button",
        onclick: () => table.act("bids", { length: index + 1 }),
        "aria-label": t("bid.of", { count: index + 1 }),
      },
      String(index + 1),
    ),
  );
  return [
    h("p", { class: "question" }, t("bid.question")),
    h("p", { class: "small" }, t("bid.help")),
    h("div", { class: "choices", role: "group", "aria-label": t("bid.question") }, ...buttons),
  ];
}

function curtain(table) {
  const { due, here } = table;
  const seats = due === null ? here : [due];
  const intro = due === null ? t("curtain.wait") : t("curtain.turn", { name: table.name(due) });
  return [
    h("p", { class: "question" }, intro),
    h(
      "div",
      { class: "choices" },
      ...seats.map((seat) =>
        h(
          "button",
          {
            type: "button",
            class: due === null ? null : "primary",
            onclick: () => table.reveal(seat),
          },
          t("curtain.show", { name: table.name(seat) }),
        ),
      ),
    ),
  ];
}

function watching() {
  return [h("p", { class: "small" }, t("watching.text"))];
}

function end(table) {
  const { game, here } = table;
  const again = h(
    "button",
    { type: "button", class: "primary", onclick: () => rematch(table, again) },
    t("end.rematch"),
  );
  const mine = here.length || tableOf(table.id).host;
  const top = [...game.players].sort((a, b) => b.score - a.score);
  return [
    h("p", { class: "winner" }, winnerWords(game, here)),
    h(
      "p",
      { class: "small" },
      `${t(`end.${game.end}`)} ${top.map((each) => `${each.name} ${each.score}`).join(" · ")}`,
    ),
    h(
      "div",
      { class: "choices" },
      mine ? again : null,
      h("button", { type: "button", onclick: () => table.openReplay() }, t("end.replay")),
      h("a", { class: "button", href: "#" }, t("nav.new_game")),
    ),
  ];
}

/** Asks for everybody at this device; all who ask meet in one game, and the host's device deals. */
async function rematch(table, button) {
  button.disabled = true;
  const { host } = tableOf(table.id);
  let game = null;
  for (const who of host ? [...table.here, "host"] : table.here) {
    try {
      ({ game } = await send(table.id, `${table.path}/rematch`, {}, who));
    } catch (error) {
      toast(error.message, { urgent: true });
    }
  }
  button.disabled = game !== null;
  if (game === null) return;
  if (host) remember(game.id, { deal: true });
  table.app.go(`game=${game.id}`);
}
