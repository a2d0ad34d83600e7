// The list of players: scores, hands, whose turn it is.

import { h } from "./dom.js";
import { t } from "./i18n.js";

export class Players {
  constructor() {
    this.element = h("ol", { class: "players" });
  }

  show({ game, localSeats }) {
    this.element.setAttribute("aria-label", t("players.label"));
    const cards = game.players.map((player) => this.card(player, game, localSeats));
    const bag = h(
      "li",
      { class: "bag", title: t("bag.title") },
      h("span", { class: "pouch", "aria-hidden": "true" }),
      h("span", { class: "visually-hidden" }, t("bag.count", { count: game.bag_count })),
      h("b", { "aria-hidden": "true" }, String(game.bag_count)),
    );
    this.element.replaceChildren(...cards, bag);
  }

  card(player, game, localSeats) {
    const turn = game.turn?.seat === player.seat;
    const won = game.winners?.includes(player.seat);
    const marks = ["player", turn && "turn", won && "won", player.resigned && "resigned"];
    const about = [];
    if (player.resigned) about.push(t("players.left"));
    else if (game.status === "bidding") {
      about.push(
        player.bid === null ? t("players.bidding") : t("players.bid", { count: player.bid }),
      );
    } else if (turn) about.push(t("players.turn"));
    else if (won) about.push(t("players.won"));
    else if (player.bot) about.push(t(`bot.${player.bot}`));
    else about.push(t(localSeats.includes(player.seat) ? "players.here" : "players.elsewhere"));
    return h(
      "li",
      { class: marks.filter(Boolean).join(" "), "aria-current": turn ? "true" : null },
      h("span", { class: "who" }, player.name),
      h("span", { class: "about" }, ...about),
      h(
        "span",
        { class: "score" },
        h("b", {}, String(player.score)),
        h("span", { class: "visually-hidden" }, t("players.points", { count: player.score })),
      ),
      this.hand(player),
    );
  }

  hand({ hand_count: count }) {
    const pips = Array.from({ length: count }, () => h("i"));
    return h(
      "span",
      { class: "pips", title: t("players.holds", { count }) },
      ...pips,
      h("span", { class: "visually-hidden" }, t("players.holds", { count })),
    );
  }
}
