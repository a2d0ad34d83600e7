// Before the deal: who is there, how others come, and taking a seat.

import { h, toast } from "./dom.js";
import { send } from "./outbox.js";
import { tableOf } from "./local_storage.js";
import { t } from "./i18n.js";

/** Shows the table while it waits for players; the host's device deals as soon as it may. */
export function showWaiting(table) {
  const { game, here } = table;
  const known = tableOf(table.id);
  const open = game.seats - game.players.length;
  const free = open - game.reserved.length;
  const own = game.players.every((player) => player.bot || here.includes(player.seat));
  if (known.host && open === 0 && (own || known.deal)) return void deal(table);
  const stand = JSON.stringify([game.version, document.documentElement.lang]);
  if (table.waitingFor === stand && table.main.querySelector(".waiting")) return undefined;
  table.waitingFor = stand;
  const typed = table.main.querySelector("#join-name")?.value;
  table.main.replaceChildren(
    h(
      "section",
      { class: "card narrow waiting" },
      h("h1", {}, t("waiting.title")),
      seatList(game, here),
      known.host && free ? invitation(table, known) : null,
      game.reserved.length ? h("p", { class: "small" }, t("waiting.rematch")) : null,
      known.host && open === 0
        ? h(
            "button",
            { type: "button", class: "primary wide", onclick: () => deal(table) },
            t("waiting.deal"),
          )
        : null,
      !known.host && here.length && !game.reserved.length
        ? h("p", { class: "small" }, t(open ? "waiting.for_players" : "waiting.for_host"))
        : null,
      free && (!here.length || known.code) ? joining(table, known, typed) : null,
      h("p", { class: "small" }, t("waiting.watch_link")),
    ),
  );
  return undefined;
}

async function deal(table) {
  if (table.dealing) return;
  table.dealing = true;
  // Once done it stays done, though a look from before may still arrive.
  table.dealing = (await table.act("deal", {}, "host")) !== null;
}

function seatList(game, here) {
  const rows = Array.from({ length: game.seats }, (_, seat) => {
    const player = game.players.find((each) => each.seat === seat);
    let about = t(game.reserved.includes(seat) ? "waiting.reserved" : "waiting.open");
    if (player?.bot) about = t(`bot.${player.bot}`);
    else if (player) about = t(here.includes(seat) ? "players.here" : "players.elsewhere");
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

/** What follows the # of an address is never sent to any server, so the join code stays out of logs. */
function address(table, code) {
  const end = code ? `&code=${encodeURIComponent(code)}` : "";
  return `${location.origin}${location.pathname}#game=${table.id}${end}`;
}

function invitation(table, known) {
  const field = h("input", {
    id: "invite",
    readonly: true,
    value: address(table, known.code),
    "aria-labelledby": "invite-label",
  });
  field.addEventListener("focus", () => field.select());
  const copy = h(
    "button",
    { type: "button", class: "primary", onclick: () => copied(field) },
    t("waiting.copy"),
  );
  return h(
    "div",
    { class: "invitation" },
    h("p", { id: "invite-label" }, t("waiting.invite")),
    h("div", { class: "pair" }, field, copy),
  );
}

async function copied(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    toast(t("waiting.copied"));
  } catch {
    toast(t("waiting.copy_by_hand"));
  }
}

function joining(table, known, typed) {
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
    const body = {
      name: name.value,
      age: age.value === "" ? null : Number(age.value),
      join_code: known.code,
    };
    try {
      await send(table.id, `${table.path}/players`, body);
      table.app.go(`game=${table.id}`, { anew: true });
    } catch (error) {
      toast(error.message, { urgent: true });
      button.disabled = false;
    }
  }
  const another = table.here.length > 0;
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
