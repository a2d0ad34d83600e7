// The panels in place of the hand: the curtain between two players' hands, the result.

import { h, toast } from "./dom.js";
import { rematchText, winnerText } from "./event_text.js";
import { savedGame } from "./local_storage.js";
import { t } from "./i18n.js";

/** The elements of a panel. */
export function build(kind, controller) {
  return { curtain, watching, end }[kind](controller);
}

function curtain(controller) {
  const { seatToAct, localSeats } = controller;
  const seats = seatToAct === null ? localSeats : [seatToAct];
  const intro =
    seatToAct === null
      ? t("curtain.wait")
      : t("curtain.turn", { name: controller.name(seatToAct) });
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
            class: seatToAct === null ? null : "primary",
            onclick: () => controller.reveal(seat),
          },
          t("curtain.show", { name: controller.name(seat) }),
        ),
      ),
    ),
  ];
}

function watching() {
  return [h("p", { class: "small" }, t("watching.text"))];
}

function end(controller) {
  const { game, localSeats } = controller;
  const again = h(
    "button",
    { type: "button", class: "primary", onclick: () => rematch(controller, again) },
    t("end.rematch"),
  );
  const mine = localSeats.length || savedGame(controller.id).host;
  const top = [...game.players].sort((a, b) => b.score - a.score);
  return [
    h("p", { class: "winner" }, winnerText(game, localSeats)),
    h(
      "p",
      { class: "small" },
      `${t(`end.${game.end}`)} ${top.map((each) => `${each.name} ${each.score}`).join(" · ")}`,
    ),
    game.rematch?.seats.length
      ? h("p", { class: "small rematch" }, rematchText(game, game.rematch))
      : null,
    h(
      "div",
      { class: "choices" },
      mine ? again : null,
      h("button", { type: "button", onclick: () => controller.openReplay() }, t("end.replay")),
      h("a", { class: "button", href: "#" }, t("nav.new_game")),
    ),
  ];
}

/** Requests a rematch for every seat on this device. */
async function rematch(controller, button) {
  button.disabled = true;
  const { host } = savedGame(controller.id);
  let game = null;
  for (const who of host ? [...controller.localSeats, "host"] : controller.localSeats) {
    try {
      ({ game } = await controller.as(who).rematch());
    } catch (error) {
      toast(error.message, { urgent: true });
    }
  }
  button.disabled = game !== null;
  if (game === null) return;
  controller.app.go(`game=${game.id}`);
}
