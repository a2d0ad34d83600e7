// The page: its settings, its header, and whether it shows the lobby or a game.

import { forgetDelays, isDelayed, outbox, qwirkle } from "./api.js";
import { h, setText, toast } from "./dom.js";
import { showError } from "./error_text.js";
import { loadGameStyles } from "./game_styles.js";
import { loadTheme } from "./tiles.js";
import { settings } from "./local_storage.js";
import { language, loadLanguage, t, preferredLanguage } from "./i18n.js";

const main = document.getElementById("main");
let controller = null;
let routing = null;
let connection = "live";

const app = {
  /** Opens a view; `replace` leaves no history entry and reloads an unchanged address. */
  go(hash, { replace = false } = {}) {
    const same = location.hash.replace(/^#/, "") === hash;
    // Once used, the join code should not stay in the address bar.
    if (replace) history.replaceState(null, "", `#${hash}`);
    else location.hash = hash;
    if (same || replace) route();
  },
  /** Shows the state of the game's connection. */
  setConnection(state) {
    connection = state;
    showConnection();
  },
  refresh: route,
  controller: () => controller,
};

function showConnection() {
  const place = document.getElementById("connection");
  const lost = connection === "lost" || isDelayed();
  place.dataset.state = lost ? "lost" : connection;
  setText(place, lost ? t("line.lost") : "");
}

document.addEventListener("qwirkle:delay", showConnection);
addEventListener("offline", () => controller && app.setConnection("lost"));

async function route() {
  const current = (routing = Symbol("route"));
  for (const box of document.querySelectorAll("dialog[open]")) box.close();
  controller?.close();
  controller = null;
  forgetDelays();
  app.setConnection("live");
  document.title = t("page.title");
  const params = new URLSearchParams(location.hash.slice(1));
  const id = params.get("game");
  try {
    if (/^[a-z2-7]{26}$/.test(id ?? "")) {
      const [{ GameController }] = await Promise.all([
        import("./game_controller.js"),
        loadGameStyles(),
      ]);
      if (current !== routing) return;
      document.body.dataset.view = "game";
      controller = new GameController(main, id, params.get("code"), app);
      await controller.open();
    } else {
      if (id !== null) toast(t("gone.link"), { urgent: true });
      const { showLobby } = await import("./lobby.js");
      if (current !== routing) return;
      document.body.dataset.view = "lobby";
      showLobby(main, app);
    }
  } catch (error) {
    showError(error);
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
  const help = async () => (await import("./help.js")).openHelp();
  document
    .getElementById("nav")
    .replaceChildren(
      h("button", { type: "button", class: "quiet", id: "help", onclick: help }, t("nav.help")),
      h("button", { type: "button", class: "quiet", id: "menu", onclick: menu }, t("nav.menu")),
    );
  document.getElementById("home").setAttribute("aria-label", t("nav.home"));
}

/** Finishes creating a game if the page was closed before the response came. */
async function resumePending() {
  const starts = ["/v1/games", "/v1/joins", "/v1/lobby/match"];
  const creations = (await outbox.pending()).filter(({ path }) => starts.includes(path));
  for (const action of creations) {
    const made = await qwirkle.resend(action).catch(() => null);
    if (made?.game && !location.hash) app.go(`game=${made.game.id}`);
  }
}

async function start() {
  applySettings();
  await Promise.all([loadLanguage(preferredLanguage()), loadTheme()]);
  qwirkle.headers["Accept-Language"] = language();
  showHeader();
  route();
}

addEventListener("hashchange", route);
await start();
resumePending();
import("./install.js").then(({ registerWorker }) => registerWorker());
