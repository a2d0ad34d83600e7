// The panels in place of the hand: the curtain between two players' hands, the result.

import { h } from "./dom.js";
import { showError } from "./error_text.js";
import { joinNames, rematchText, winnerText } from "./event_text.js";
import { changeSettings, savedGame } from "./local_storage.js";
import { t } from "./i18n.js";
import { mayAskToNotify } from "./turn_alert.js";

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
  const people = (game.rematch?.seats ?? []).filter(
    (seat) => !localSeats.includes(seat) && !game.players.find((each) => each.seat === seat)?.bot,
  );
  const offered = people.length ? joinNames(people.map((seat) => controller.name(seat))) : null;
  const again = h(
    "button",
    { type: "button", class: "primary", onclick: () => rematch(controller, again) },
    offered ? t("end.accept", { names: offered }) : t("end.rematch"),
  );
  const mine = localSeats.length || savedGame(controller.id).host;
  const top = [...game.players].sort((a, b) => b.score - a.score);
  return [
    h("p", { class: "winner" }, winnerText(game, localSeats)),
    h(
      "p",
      { class: "small" },
      `${endText(controller)} ${top.map((each) => `${controller.isYou(each.seat) ? t("players.you") : each.name} ${each.score}`).join(" · ")}`,
    ),
    offered ? h("p", { class: "small rematch" }, rematchText(game, { seats: people })) : null,
    h(
      "div",
      { class: "choices" },
      mine ? again : null,
      h("button", { type: "button", onclick: () => controller.openReplay() }, t("end.replay")),
      h("a", { class: "button", href: "#" }, t("nav.new_game")),
    ),
    mine && mayAskToNotify() ? notifyButton() : null,
  ].filter(Boolean);
}

function endText({ game, viewer }) {
  const left = game.players.find((each) => each.seat === viewer)?.resigned;
  return t(left && game.end === "last_player" ? "end.you_left" : `end.${game.end}`);
}

/** Asked only after a game, when people know what it is good for. */
function notifyButton() {
  const button = h("button", { type: "button", class: "quiet", id: "ask-notify" }, t("end.notify"));
  button.addEventListener("click", async () => {
    const granted = (await Notification.requestPermission()) === "granted";
    changeSettings({ notify: granted });
    button.remove();
  });
  return button;
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
      showError(error);
    }
  }
  button.disabled = game !== null;
  if (game === null) return;
  controller.app.go(`game=${game.id}`);
}
