// "Your tables": the games of this browser, those that wait for the user first.

import { qwirkle } from "./api.js";
import { h } from "./dom.js";
import { joinNames } from "./event_text.js";
import { t } from "./i18n.js";
import { forgetGame, savedGames, saveSummary } from "./local_storage.js";

const MAX_TABLES = 6;

/** Fills the place with the tables, from what is stored and then from the service. */
export function myTables(place, app) {
  const games = savedGames()
    .filter((game) => game.host || Object.keys(game.seats).length)
    .slice(0, MAX_TABLES);
  const draw = () => place.replaceChildren(...section(games, () => myTables(place, app)));
  draw();
  for (const game of games) {
    load(game).then((changed) => changed && place.isConnected && draw());
  }
}

async function load(game) {
  const [seat] = Object.values(game.seats);
  try {
    const view = await qwirkle.game(game.id, seat?.token ?? game.host).view({ patience: 0 });
    game.summary = saveSummary(game.id, view);
    return true;
  } catch (error) {
    if (error.code !== "game_not_found") return false;
    forgetGame(game.id);
    game.gone = true;
    return true;
  }
}

function section(games, redraw) {
  const shown = games.filter((game) => !game.gone).sort((a, b) => rank(a) - rank(b) || b.at - a.at);
  if (!shown.length) return [];
  return [
    h(
      "section",
      { class: "card" },
      h("h2", {}, t("lobby.mine")),
      h("ul", { class: "mine" }, ...shown.map((game) => card(game, redraw))),
    ),
  ];
}

const isMine = ({ seats, summary }) => summary?.turn !== null && String(summary?.turn) in seats;

/** 0: waits for the user, 1: goes on, 2: is over. */
function rank(game) {
  if (game.summary?.status === "finished") return 2;
  return isMine(game) ? 0 : 1;
}

function card(game, redraw) {
  const { summary, seats } = game;
  const others = (summary?.players ?? []).filter(({ seat }) => !(String(seat) in seats));
  const names = others.length ? joinNames(others.map(({ name }) => name)) : t("tables.nobody");
  const scores = summary?.status === "waiting" ? "" : scoreText(game);
  const drop = h(
    "button",
    { type: "button", class: "quiet", "aria-label": t("lobby.forget", { names }) },
    "✕",
  );
  drop.addEventListener("click", () => {
    forgetGame(game.id);
    redraw();
  });
  return h(
    "li",
    { class: isMine(game) ? "my-turn" : null },
    h(
      "a",
      { href: `#game=${game.id}` },
      h("b", {}, names),
      h("span", { class: "small" }, [stateText(game), scores].filter(Boolean).join(" · ")),
    ),
    drop,
  );
}

function stateText(game) {
  const { summary } = game;
  if (!summary) return "";
  if (summary.status === "waiting") return t("tables.waiting");
  if (summary.status === "finished") return t("tables.finished");
  if (isMine(game)) return t("status.your_turn");
  const mover = summary.players.find(({ seat }) => seat === summary.turn);
  return mover ? t("status.turn_of", { name: mover.name }) : "";
}

function scoreText({ summary, seats }) {
  const own = (player) => String(player.seat) in seats;
  const players = [...(summary?.players ?? [])].sort((a, b) => own(b) - own(a));
  return players.map(({ score }) => score).join(" : ");
}
