// The form for a game with every choice: seats, edition, time, hints and bids.

import { h } from "./dom.js";
import { changeSettings, settings } from "./local_storage.js";
import { t } from "./i18n.js";
import { playerName } from "./player_name.js";
import { startGame, usualEdition } from "./start_game.js";

const BOTS = ["random", "easy", "greedy", "cautious", "medium", "hard", "expert"];
const KINDS = ["here", "elsewhere", ...BOTS];
const TIMES = [0, 30, 60, 120, 300, 86_400];
const EDITIONS = ["schmidt", "travel", "polish", "english", "russian"];

/** The form; `app.go(hash)` opens the game. */
export function customGame(app) {
  const saved = settings().seats ?? [
    { kind: "here", name: "" },
    { kind: "greedy", name: "" },
  ];
  const rows = h("div", { class: "rows" });
  const count = select(
    "seats",
    [2, 3, 4].map((n) => [n, t("lobby.seats_count", { count: n })]),
    saved.length,
    () => fill(Number(count.value)),
  );
  const seats = [0, 1, 2, 3].map((index) =>
    seatRow(index, saved[index] ?? { kind: index ? "greedy" : "here" }),
  );
  function fill(number) {
    rows.replaceChildren(...seats.slice(0, number).map((seat) => seat.element));
  }
  fill(saved.length);
  const options = gameOptions();
  const button = h("button", { class: "primary wide", id: "start" }, t("lobby.start"));
  async function start(event) {
    event.preventDefault();
    const chosen = seats.slice(0, Number(count.value)).map((seat) => seat.read());
    changeSettings({ seats: chosen.map(({ kind, typed }) => ({ kind, name: typed })) });
    button.disabled = true;
    button.disabled = await startGame(app, creationBody(chosen, options.read()));
  }
  return h(
    "form",
    { class: "card new-game", onsubmit: start },
    h("h2", {}, t("door.custom")),
    field("seats", t("lobby.how_many"), count),
    rows,
    options.element,
    button,
  );
}

/** The body of POST /v1/games; players who follow the link take the open seats. */
function creationBody(chosen, options) {
  const given = chosen.filter(({ kind }) => kind !== "elsewhere");
  const players = given.map(({ kind, name, age }) =>
    kind === "here" ? { name, age } : { name, bot: kind },
  );
  return { ...options, seats: chosen.length, players, private: given.length < chosen.length };
}

function seatRow(index, saved) {
  const id = `seat-${index}`;
  const kind = select(
    id,
    KINDS.map((each) => [each, t(BOTS.includes(each) ? `bot.${each}` : `seat.${each}`)]),
    saved.kind,
    update,
  );
  const defaultName = () =>
    BOTS.includes(kind.value)
      ? t(`bot.name_${kind.value}`)
      : index === 0
        ? playerName()
        : t("player.usual", { number: index + 1 });
  const name = h("input", {
    id: `${id}-name`,
    maxlength: "40",
    value: saved.name ?? "",
    autocomplete: "off",
    "aria-label": t("player.name_of", { number: index + 1 }),
  });
  const age = h("input", {
    id: `${id}-age`,
    type: "number",
    min: "0",
    max: "150",
    inputmode: "numeric",
    "aria-label": t("player.age_of", { number: index + 1 }),
    placeholder: t("player.age_short"),
  });
  const element = h(
    "fieldset",
    { class: "seat-row" },
    h("legend", {}, t("lobby.seat", { number: index + 1 })),
    kind,
    name,
    age,
  );
  kind.setAttribute("aria-label", t("lobby.seat_kind", { number: index + 1 }));
  function update() {
    name.hidden = kind.value === "elsewhere";
    age.hidden = kind.value !== "here";
    name.placeholder = defaultName();
  }
  update();
  return {
    element,
    read: () => ({
      kind: kind.value,
      typed: name.value.trim(),
      name: name.value.trim() || defaultName(),
      age: age.value === "" ? null : Number(age.value),
    }),
  };
}

function gameOptions() {
  const edition = select(
    "edition",
    EDITIONS.map((each) => [each, t(`edition.${each}`)]),
    usualEdition(),
  );
  const time = select(
    "time",
    TIMES.map((each) => [each, t(`time.${each}`)]),
    0,
  );
  const hints = h("input", { type: "checkbox", id: "hints", checked: true });
  const bids = h("input", { type: "checkbox", id: "auto-bid", checked: true });
  const element = h(
    "details",
    {},
    h("summary", {}, t("lobby.more")),
    field("edition", t("lobby.edition"), edition),
    field("time", t("lobby.time"), time),
    h("label", { class: "check" }, hints, t("lobby.hints")),
    h("label", { class: "check" }, bids, t("lobby.auto_bid")),
  );
  const read = () => ({
    edition: edition.value,
    turn_seconds: Number(time.value) || null,
    hints: hints.checked,
    auto_bid: bids.checked,
  });
  return { element, read };
}

function select(id, options, value, changed = () => {}) {
  const box = h(
    "select",
    { id, onchange: changed },
    ...options.map(([name, text]) => h("option", { value: String(name) }, text)),
  );
  box.value = String(value);
  return box;
}

function field(id, text, control) {
  return h("div", { class: "field" }, h("label", { for: id }, text), control);
}
