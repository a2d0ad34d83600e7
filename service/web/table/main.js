// The page: its language and look, its menu, and which of its rooms is shown.

import { h, toast, write } from "./dom.js";
import { showLobby } from "./lobby.js";
import { deliver, unanswered } from "./outbox.js";
import { Table } from "./game_controller.js";
import { learnLook } from "./tiles.js";
import { settings } from "./local_storage.js";
import { learn, t, wanted } from "./i18n.js";

const main = document.getElementById("main");
let table = null;
let lost = false;

const app = {
  /** Leads to a room; `anew` also where the address stays the same. */
  go(hash, { anew = false } = {}) {
    const same = location.hash.replace(/^#/, "") === hash;
    // The join code has done its work: it need not stay in sight.
    if (anew) history.replaceState(null, "", `#${hash}`);
    else location.hash = hash;
    if (same || anew) route();
  },
  /** How the line to the service is. */
  line(state) {
    lost = state === "lost";
    const place = document.getElementById("line");
    place.dataset.state = state;
    write(place, lost ? t("line.lost") : "");
  },
  refresh: route,
  table: () => table,
};

document.addEventListener("qwirkle:delayed", () => app.line("lost"));
addEventListener("offline", () => table && app.line("lost"));

function route() {
  for (const box of document.querySelectorAll("dialog[open]")) box.close();
  table?.close();
  table = null;
  app.line("live");
  document.title = t("page.title");
  const asked = new URLSearchParams(location.hash.slice(1));
  const id = asked.get("game");
  if (/^[a-z2-7]{26}$/.test(id ?? "")) {
    table = new Table(main, id, asked.get("code"), app);
    table.open().catch((error) => toast(error.message, { urgent: true }));
    document.body.dataset.room = "table";
  } else {
    showLobby(main, app);
    document.body.dataset.room = "lobby";
  }
}

/** Light or dark, and letters on tiles, as chosen. */
export function dress() {
  const { theme, letters } = settings();
  document.documentElement.dataset.theme = theme ?? "auto";
  document.documentElement.classList.toggle("letters", Boolean(letters));
}

function showBar() {
  const menu = async () => (await import("./menu.js")).openMenu(app, dress, start);
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

/** A game that was being created when the page was left is found again. */
async function settle() {
  for (const order of unanswered(null)) {
    const made = await deliver(order).catch(() => null);
    if (made?.game && !location.hash) app.go(`game=${made.game.id}`);
  }
}

async function start() {
  dress();
  await Promise.all([learn(wanted()), learnLook()]);
  showBar();
  route();
}

addEventListener("hashchange", route);
await start();
settle();
