// The start page: one tap to play the computer or to invite a friend, a code to join, and more.

import { qwirkle } from "./api.js";
import { errorText } from "./error_text.js";
import { h, setText } from "./dom.js";
import { t } from "./i18n.js";
import { loadGameStyles } from "./game_styles.js";
import { heroLine } from "./hero_line.js";
import { savedGames } from "./local_storage.js";
import { changeName, playerName } from "./player_name.js";
import { inviteFriend, LEVELS, playComputer, playNow } from "./start_game.js";

const LINK = /(?:game=|\/g\/)([a-z2-7]{26})(?:[&#](code=[^&\s]+))?/;
const GAME_ID = /^\s*([a-z2-7]{26})\s*$/;

/** Shows the start page; `app.go(hash)` opens a game. */
export function showLobby(main, app) {
  const tables = h("div", { class: "tables" });
  const more = h("div", { class: "more" });
  main.replaceChildren(
    h(
      "div",
      { class: "lobby" },
      h("section", { class: "hero" }, heroLine(), h("h1", {}, t("lobby.title"))),
      tables,
      h("div", { class: "doors" }, computerDoor(app), friendDoor(app), nowDoor(app), codeDoor(app)),
      nameField(),
      footer(app, more),
      more,
    ),
  );
  if (savedGames().length) showTables(tables, app);
}

async function showTables(place, app) {
  const { myTables } = await import("./my_tables.js");
  if (place.isConnected) myTables(place, app);
}

/** A button that can be pressed again only if what it started has failed. */
function starter(properties, start, ...children) {
  const button = h("button", { type: "button", ...properties }, ...children);
  button.addEventListener("click", async () => {
    button.disabled = true;
    if (!(await start())) button.disabled = false;
  });
  return button;
}

function computerDoor(app) {
  const levels = LEVELS.map((level) =>
    starter({ class: "primary", id: `level-${level}` }, () => playComputer(app, level), t(`level.${level}`)),
  );
  return h(
    "section",
    { class: "card door", "aria-labelledby": "door-computer" },
    h("h2", { id: "door-computer" }, t("door.computer")),
    h("div", { class: "levels" }, ...levels),
  );
}

function friendDoor(app) {
  return h(
    "section",
    { class: "card door", "aria-labelledby": "door-friend" },
    h("h2", { id: "door-friend" }, t("door.friend")),
    starter({ class: "primary wide", id: "invite-friend" }, () => inviteFriend(app), t("door.invite")),
  );
}

function nowDoor(app) {
  const tables = h("ul", { class: "open-tables" });
  showOpenTables(tables, app);
  return h(
    "section",
    { class: "card door", "aria-labelledby": "door-now" },
    h("h2", { id: "door-now" }, t("door.now")),
    starter({ class: "primary wide", id: "play-now" }, () => playNow(app), t("door.stranger")),
    tables,
  );
}

/** Lists a few tables that wait for players. */
async function showOpenTables(list, app) {
  const { games } = await qwirkle.lobby({ limit: 3 }, { patience: 0 }).catch(() => ({ games: [] }));
  const rows = games.map(({ id, names, seats, taken }) =>
    h(
      "li",
      {},
      h("button", { type: "button", class: "quiet", onclick: () => app.go(`game=${id}`) }, names.join(", ") || "…"),
      h("span", { class: "small" }, `${taken}/${seats}`),
    ),
  );
  list.replaceChildren(...rows);
}

/** Joins with a code, or opens the game of a pasted link. */
function codeDoor(app) {
  const field = h("input", {
    id: "code",
    required: true,
    maxlength: "300",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    placeholder: "K7QF-2M9X",
    "aria-describedby": "code-fault",
  });
  const button = h("button", { id: "join-code" }, t("door.join"));
  const fault = h("p", { class: "fault", id: "code-fault", role: "alert" });
  async function join(event) {
    event.preventDefault();
    setText(fault, "");
    const link = LINK.exec(field.value) ?? GAME_ID.exec(field.value);
    if (link) return void app.go(`game=${link[1]}${link[2] ? `&${link[2]}` : ""}`);
    button.disabled = true;
    try {
      const { game } = await qwirkle.join({ join_code: field.value.trim(), name: playerName() });
      app.go(`game=${game.id}`);
    } catch (error) {
      const unknown = error.status === 404 || error.status === 400;
      setText(fault, unknown ? t("door.no_code") : errorText(error));
      button.disabled = false;
    }
  }
  return h(
    "form",
    { class: "card door", onsubmit: join },
    h("label", { for: "code" }, h("h2", {}, t("door.code"))),
    h("div", { class: "pair" }, field, button),
    fault,
  );
}

function nameField() {
  const field = h("input", {
    id: "name",
    maxlength: "40",
    autocomplete: "nickname",
    value: playerName(),
    onchange: () => {
      changeName(field.value);
      field.value = playerName();
    },
  });
  return h("div", { class: "name-field" }, h("label", { for: "name" }, t("player.name")), field);
}

function footer(app, more) {
  const custom = h("button", { type: "button", class: "quiet", id: "custom" }, t("door.custom"));
  custom.setAttribute("aria-expanded", "false");
  custom.addEventListener("click", async () => {
    const { customGame } = await import("./custom_game.js");
    const open = more.childElementCount === 0;
    custom.setAttribute("aria-expanded", String(open));
    more.replaceChildren(...(open ? [customGame(app)] : []));
    more.querySelector("select")?.focus();
  });
  const learn = async () => {
    const [{ openTutorial }] = await Promise.all([import("./tutorial.js"), loadGameStyles()]);
    openTutorial();
  };
  return h(
    "p",
    { class: "lobby-links" },
    custom,
    h("button", { type: "button", class: "quiet", id: "learn", onclick: learn }, t("tutorial.title")),
    h("a", { href: "docs" }, t("nav.docs")),
  );
}
