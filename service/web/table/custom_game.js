// The start page: a new game, a link to join or watch, games in progress.

import { qwirkle } from "./api.js";
import { h, toast } from "./dom.js";
import { tileSvg } from "./tiles.js";
import { changeSettings, forgetGame, settings, savedGames } from "./local_storage.js";
import { t } from "./i18n.js";

const KINDS = ["here", "elsewhere", "random", "greedy", "expert"];
const BOTS = ["random", "greedy", "expert"];
const TIMES = [0, 30, 60, 120, 300, 86_400];
const EDITIONS = ["schmidt", "travel", "polish", "english", "russian"];
const HERO_TILES = [
  "red-star",
  "orange-circle",
  "yellow-clover",
  "green-diamond",
  "blue-cross",
  "purple-square",
];

/** Shows the lobby; `app.go(hash)` opens a game. */
export function showLobby(main, app) {
  main.replaceChildren(
    h(
      "div",
      { class: "lobby" },
      h(
        "section",
        { class: "hero" },
        h(
          "div",
          { class: "hero-tiles", "aria-hidden": "true" },
          ...HERO_TILES.map((tile) => tileSvg(tile)),
        ),
        h("h1", {}, t("lobby.title")),
        h("p", {}, t("lobby.intro")),
      ),
      h(
        "div",
        { class: "columns" },
        newGame(app),
        h("div", { class: "stack" }, joinCard(app), myGames(main, app), rules()),
      ),
    ),
  );
}

function newGame(app) {
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
    try {
      const { game } = await qwirkle.createGame(creationBody(chosen, options.read()));
      app.go(`game=${game.id}`);
    } catch (error) {
      toast(error.message, { urgent: true });
      if (error.status === 401 || error.status === 403) (await import("./menu.js")).askKey();
      button.disabled = false;
    }
  }
  return h(
    "form",
    { class: "card new-game", onsubmit: start },
    h("h2", {}, t("lobby.new")),
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
    "schmidt",
  );
  const time = select(
    "time",
    TIMES.map((each) => [each, t(`time.${each}`)]),
    0,
  );
  const hints = h("input", { type: "checkbox", id: "hints", checked: true });
  const bids = h("input", { type: "checkbox", id: "auto-bid" });
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

function joinCard(app) {
  const link = h("input", {
    id: "link",
    required: true,
    autocomplete: "off",
    placeholder: t("lobby.link_example"),
  });
  function follow(event) {
    event.preventDefault();
    const found =
      /game=([a-z2-7]{26})(&code=[^&\s]+)?/.exec(link.value) ??
      /^\s*([a-z2-7]{26})\s*$/.exec(link.value);
    if (found) app.go(`game=${found[1]}${found[2] ?? ""}`);
    else toast(t("lobby.no_link"), { urgent: true });
  }
  return h(
    "form",
    { class: "card", onsubmit: follow },
    h("h2", {}, t("lobby.join")),
    h("label", { for: "link" }, t("lobby.link")),
    h("div", { class: "pair" }, link, h("button", {}, t("lobby.open"))),
  );
}

function myGames(main, app) {
  const known = savedGames()
    .filter((game) => game.host || Object.keys(game.seats).length)
    .slice(0, 5);
  if (!known.length) return null;
  const rows = known.map((game) => {
    const names =
      Object.values(game.seats)
        .map((seat) => seat.name)
        .join(", ") || t("lobby.as_host");
    const when = new Intl.DateTimeFormat(document.documentElement.lang, {
      dateStyle: "medium",
      timeStyle: "short",
    }).format(game.at);
    const drop = h(
      "button",
      { type: "button", class: "quiet", "aria-label": t("lobby.forget", { names }) },
      "✕",
    );
    drop.addEventListener("click", () => {
      forgetGame(game.id);
      showLobby(main, app);
    });
    return h(
      "li",
      {},
      h("a", { href: `#game=${game.id}` }, names),
      h("span", { class: "small" }, when),
      drop,
    );
  });
  return h(
    "section",
    { class: "card" },
    h("h2", {}, t("lobby.mine")),
    h("ul", { class: "mine" }, ...rows),
  );
}

function rules() {
  const points = ["rules.line", "rules.turn", "rules.score", "rules.end"].map((key) =>
    h("li", {}, t(key)),
  );
  return h(
    "section",
    { class: "card" },
    h("h2", {}, t("rules.title")),
    h("ul", { class: "rules" }, ...points),
  );
}
