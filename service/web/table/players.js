// The list of players: scores, hands, whose turn it is.

import { h } from "./dom.js";
import { t } from "./i18n.js";

export class Players {
  constructor() {
    this.element = h("ol", { class: "players" });
  }

  show(controller) {
    const { game, moves } = controller;
    this.moves = moves;
    this.element.setAttribute("aria-label", t("players.label"));
    const cards = game.players.map((player) => this.card(player, game, controller));
    const bag = h(
      "li",
      { class: "bag", title: t("bag.title") },
      h("span", { class: "pouch", "aria-hidden": "true" }),
      h("span", { class: "visually-hidden" }, t("bag.count", { count: game.bag_count })),
      h("b", { "aria-hidden": "true" }, String(game.bag_count)),
    );
    this.element.replaceChildren(...cards, bag);
  }

  card(player, game, controller) {
    const [showing] = this.moves.waiting;
    const turn = (showing?.seat ?? game.turn?.seat) === player.seat;
    const own = controller.isYou(player.seat);
    const { replay } = controller;
    const now = player.score - this.moves.pendingPoints(player.seat);
    const score = replay ? (replay.scores[player.seat] ?? 0) : now;
    const won = !showing && game.winners?.includes(player.seat);
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
    return h(
      "li",
      {
        class: marks.filter(Boolean).join(" "),
        "aria-current": turn ? "true" : null,
        "data-seat": player.seat,
      },
      h("span", { class: "who" }, own ? t("players.you") : player.name),
      h("span", { class: "about" }, ...about),
      h(
        "span",
        { class: "score" },
        h("b", {}, String(score)),
        h("span", { class: "visually-hidden" }, t("players.points", { count: score })),
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
