// The page: its settings, its header, and whether it shows the lobby or a game.

import { h, toast, setText } from "./dom.js";
import { showLobby } from "./lobby.js";
import { deliver, pendingActions } from "./outbox.js";
import { GameController } from "./game_controller.js";
import { loadTheme } from "./tiles.js";
import { settings } from "./local_storage.js";
import { loadLanguage, t, preferredLanguage } from "./i18n.js";

const main = document.getElementById("main");
let controller = null;
let lost = false;

const app = {
  /** Opens a view; `replace` leaves no history entry and reloads an unchanged address. */
  go(hash, { replace = false } = {}) {
    const same = location.hash.replace(/^#/, "") === hash;
    // Once used, the join code should not stay in the address bar.
    if (replace) history.replaceState(null, "", `#${hash}`);
    else location.hash = hash;
    if (same || replace) route();
  },
  /** Shows the state of the connection. */
  setConnection(state) {
    lost = state === "lost";
    const place = document.getElementById("connection");
    place.dataset.state = state;
    setText(place, lost ? t("line.lost") : "");
  },
  refresh: route,
  controller: () => controller,
};

document.addEventListener("qwirkle:delayed", () => app.setConnection("lost"));
addEventListener("offline", () => controller && app.setConnection("lost"));

function route() {
  for (const box of document.querySelectorAll("dialog[open]")) box.close();
  controller?.close();
  controller = null;
  app.setConnection("live");
  document.title = t("page.title");
  const params = new URLSearchParams(location.hash.slice(1));
  const id = params.get("game");
  if (/^[a-z2-7]{26}$/.test(id ?? "")) {
    controller = new GameController(main, id, params.get("code"), app);
    controller.open().catch((error) => toast(error.message, { urgent: true }));
    document.body.dataset.view = "game";
  } else {
    showLobby(main, app);
    document.body.dataset.view = "lobby";
  }
}

/** Applies the theme and the letters on tiles. */
export function applySettings() {
  const { theme, letters } = settings();
  document.documentElement.dataset.theme = theme ?? "auto";
  document.documentElement.classList.toggle("letters", Boolean(letters));
}

function showHeader() {
  const menu = async () => (await import("./menu.js")).openMenu(app, applySettings, start);
  const help = async () => (await import("./menu.js")).openHelp();
  document
    .getElementById("nav")
    .replaceChildren(
      h("a", { href: "docs" }, t("nav.docs")),
      h("button", { type: "button", class: "quiet", onclick: help }, t("nav.help")),
      h("button", { type: "button", class: "quiet", id: "menu", onclick: menu }, t("nav.menu")),
    );
  document.getElementById("home").setAttribute("aria-label", t("nav.home"));
}

/** Finishes creating a game if the page was closed before the response came. */
async function resumePending() {
  for (const action of pendingActions(null)) {
    const made = await deliver(action).catch(() => null);
    if (made?.game && !location.hash) app.go(`game=${made.game.id}`);
  }
}

async function start() {
  applySettings();
  await Promise.all([loadLanguage(preferredLanguage()), loadTheme()]);
  showHeader();
  route();
}

addEventListener("hashchange", route);
await start();
resumePending();
