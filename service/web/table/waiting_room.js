// The waiting room before the deal: who has joined, the invitation link, the form to join.

import { h } from "./dom.js";
import { showError } from "./error_text.js";
import { savedGame } from "./local_storage.js";
import { t } from "./i18n.js";
import { changeName, playerName } from "./player_name.js";
import { LEVELS } from "./start_game.js";

/** Shows the waiting room; the host's device deals as soon as it can. */
export function showWaitingRoom(controller) {
  const { game, localSeats } = controller;
  const known = savedGame(controller.id);
  const open = game.seats - game.players.length;
  const free = open - game.reserved.length;
  const own = game.players.every((player) => player.bot || localSeats.includes(player.seat));
  const hostDeals = open === 0 && !game.auto_deal;
  if (known.host && hostDeals && own) return void deal(controller);
  const stand = JSON.stringify([game.version, document.documentElement.lang]);
  if (controller.waitingFor === stand && controller.main.querySelector(".waiting"))
    return undefined;
  controller.waitingFor = stand;
  const typed = controller.main.querySelector("#join-name")?.value;
  controller.main.replaceChildren(
    h(
      "section",
      { class: "card narrow waiting" },
      h("h1", {}, title(game, known, localSeats)),
      seatList(controller, known),
      known.host && free ? invitationTo(controller.id, known.code) : null,
      known.host && free ? botButtons(controller) : null,
      game.reserved.length ? h("p", { class: "small" }, t("waiting.rematch")) : null,
      known.host && hostDeals
        ? h(
            "button",
            { type: "button", class: "primary wide", onclick: () => deal(controller) },
            t("waiting.deal"),
          )
        : null,
      !known.host && localSeats.length && !game.reserved.length && (open || hostDeals)
        ? h("p", { class: "small" }, t(open ? "waiting.for_players" : "waiting.for_host"))
        : null,
      free && mayJoin(game, known, localSeats) ? joinForm(controller, known, typed) : null,
      localSeats.length || known.code || !game.private
        ? null
        : h("p", { class: "small" }, t("waiting.watching")),
    ),
  );
  return undefined;
}

async function deal(controller) {
  if (controller.dealing) return;
  controller.dealing = true;
  // Stays true after the deal: an older response may still arrive.
  controller.dealing = (await controller.act((game) => game.deal(), "host")) !== null;
}

/** The invitation, which only hosts load. */
function invitationTo(id, code) {
  const place = h("div", {});
  import("./invitation.js").then(({ invitation }) => place.replaceChildren(invitation(id, code)));
  return place;
}

/** A private game is joined with its code; everybody else can only watch. */
function mayJoin(game, known, localSeats) {
  return localSeats.length ? Boolean(known.code) : Boolean(known.code) || !game.private;
}

function title(game, known, localSeats) {
  const [first] = game.players;
  if (known.host && game.reserved.length === 0) return t("waiting.invite");
  if (!localSeats.length && known.code && first) return t("join.invited", { name: first.name });
  return t("waiting.title");
}

function seatList(controller, known) {
  const { game, localSeats } = controller;
  const rows = Array.from({ length: game.seats }, (_, seat) => {
    const player = game.players.find((each) => each.seat === seat);
    const own = localSeats.includes(seat);
    let about = t(game.reserved.includes(seat) ? "waiting.reserved" : "waiting.open");
    if (player?.bot) about = t(`bot.${player.bot}`);
    else if (player) about = own ? t("players.you") : "";
    const remove = () => controller.act((host) => host.removePlayer(seat), "host");
    return h(
      "li",
      { class: player ? "taken" : "free" },
      h("span", { class: "seat", "aria-hidden": "true" }, String(seat + 1)),
      h("span", { class: "who" }, player?.name ?? "…"),
      h("span", { class: "about" }, about),
      known.host && player && !own
        ? h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: remove,
              "aria-label": t("waiting.remove", { name: player.name }),
            },
            "✕",
          )
        : null,
    );
  });
  return h("ol", { class: "seats-list" }, ...rows);
}

/** The host fills open seats with bots, or makes room for one more. */
function botButtons(controller) {
  const asHost = (action) => () => controller.act(action, "host");
  const { seats } = controller.game;
  const levels = LEVELS.map((bot) =>
    h(
      "button",
      {
        type: "button",
        onclick: asHost((host) => host.addBot({ bot, name: t(`bot.name_${bot}`) })),
        "aria-label": `${t("waiting.add_bot")}: ${t(`level.${bot}`)}`,
      },
      t(`level.${bot}`),
    ),
  );
  const seat = { type: "button", class: "quiet", id: "add-seat" };
  return h(
    "div",
    { class: "invitation" },
    h("p", { class: "small" }, t("waiting.add_bot")),
    h("div", { class: "levels" }, ...levels),
    seats < 4
      ? h("button", { ...seat, onclick: asHost((host) => host.update({ seats: seats + 1 })) }, t("waiting.add_seat"))
      : null,
  );
}

function joinForm(controller, known, typed) {
  const name = h("input", {
    id: "join-name",
    required: true,
    maxlength: "40",
    autocomplete: "nickname",
    value: typed ?? (controller.localSeats.length ? "" : playerName()),
  });
  const age = h("input", {
    id: "join-age",
    type: "number",
    min: "0",
    max: "150",
    inputmode: "numeric",
  });
  const button = h("button", { class: "primary wide" }, t("join.sit"));
  async function sit(event) {
    event.preventDefault();
    button.disabled = true;
    const player = {
      name: name.value,
      age: age.value === "" ? null : Number(age.value),
      join_code: known.code,
    };
    try {
      await controller.as(null).join(player);
      if (!controller.localSeats.length) changeName(player.name);
      controller.app.go(`game=${controller.id}`, { replace: true });
    } catch (error) {
      showError(error);
      button.disabled = false;
    }
  }
  const another = controller.localSeats.length > 0;
  const form = h(
    "form",
    { class: "joining", onsubmit: sit },
    another ? null : h("h2", {}, t("join.title")),
    h("label", { for: "join-name" }, t("player.name")),
    name,
    h(
      "details",
      {},
      h("summary", {}, t("player.age")),
      h("label", { for: "join-age", class: "small" }, t("player.age_help")),
      age,
    ),
    button,
  );
  return another ? h("details", {}, h("summary", {}, t("join.another")), form) : form;
}
