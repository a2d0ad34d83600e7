// The waiting room before the deal: who has joined, the invitation link, the form to join.

import { h, toast } from "./dom.js";
import { savedGame } from "./local_storage.js";
import { t } from "./i18n.js";

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
      h("h1", {}, t("waiting.title")),
      seatList(game, localSeats),
      known.host && free ? invitation(controller, known) : null,
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
      free && (!localSeats.length || known.code) ? joinForm(controller, known, typed) : null,
      h("p", { class: "small" }, t("waiting.watch_link")),
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

function seatList(game, localSeats) {
  const rows = Array.from({ length: game.seats }, (_, seat) => {
    const player = game.players.find((each) => each.seat === seat);
    let about = t(game.reserved.includes(seat) ? "waiting.reserved" : "waiting.open");
    if (player?.bot) about = t(`bot.${player.bot}`);
    else if (player) about = t(localSeats.includes(seat) ? "players.here" : "players.elsewhere");
    return h(
      "li",
      { class: player ? "taken" : "free" },
      h("span", { class: "seat", "aria-hidden": "true" }, String(seat + 1)),
      h("span", { class: "who" }, player?.name ?? "…"),
      h("span", { class: "about" }, about),
    );
  });
  return h("ol", { class: "seats-list" }, ...rows);
}

/** Browsers never send the part after the #, so the join code stays out of server logs. */
function address(controller, code) {
  const end = code ? `&code=${encodeURIComponent(code)}` : "";
  return `${location.origin}${location.pathname}#game=${controller.id}${end}`;
}

function invitation(controller, known) {
  const field = h("input", {
    id: "invite",
    readonly: true,
    value: address(controller, known.code),
    "aria-labelledby": "invite-label",
  });
  field.addEventListener("focus", () => field.select());
  const copy = h(
    "button",
    { type: "button", class: "primary", onclick: () => copyLink(field) },
    t("waiting.copy"),
  );
  return h(
    "div",
    { class: "invitation" },
    h("p", { id: "invite-label" }, t("waiting.invite")),
    h("div", { class: "pair" }, field, copy),
  );
}

async function copyLink(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    toast(t("waiting.copied"));
  } catch {
    toast(t("waiting.copy_by_hand"));
  }
}

function joinForm(controller, known, typed) {
  const name = h("input", {
    id: "join-name",
    required: true,
    maxlength: "40",
    autocomplete: "nickname",
    value: typed ?? "",
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
      controller.app.go(`game=${controller.id}`, { replace: true });
    } catch (error) {
      toast(error.message, { urgent: true });
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
    h("label", { for: "join-age" }, t("player.age")),
    age,
    h("p", { class: "small" }, t("player.age_help")),
    button,
  );
  return another ? h("details", {}, h("summary", {}, t("join.another")), form) : form;
}
