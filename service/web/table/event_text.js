// Events, results and clocks as text.

import { t } from "./i18n.js";

/** The text of an event; null if it needs none. */
export function eventText(event, controller) {
  const name = event.name ?? controller.name(event.seat);
  const own = controller.isYou(event.seat);
  const values = { name, count: event.points, points: event.points };
  switch (event.type) {
    case "joined":
      return t("event.joined", values);
    case "updated":
      return t("event.updated");
    case "dealt":
      return t("event.dealt");
    case "bid":
      return t("event.bid", { name, count: event.length });
    case "played":
      return t(own ? "event.you_played" : "event.played", {
        name,
        count: event.points + event.bonus,
      });
    case "exchanged":
      return t(own ? "event.you_exchanged" : "event.exchanged", { name, count: event.count });
    case "passed":
      return t(own ? "event.you_passed" : "event.passed", values);
    case "resigned":
      return t(event.removed ? "event.removed" : "event.resigned", values);
    default:
      return null;
  }
}

/** Who opened and why, at the second player's first turn. */
export function openingText(game, controller) {
  const opener = game.board.length && game.players.find((each) => each.bid === longestBid(game));
  if (!opener || game.turn?.number !== 2 || controller.isYou(opener.seat)) return null;
  return t("event.opened", { name: opener.name, count: opener.bid });
}

const longestBid = (game) => Math.max(...game.players.map((each) => each.bid));

/** The text that names the winner. */
export function winnerText(game, localSeats) {
  const names = game.winners.map((seat) => game.players.find((each) => each.seat === seat).name);
  if (names.length > 1) return t("end.shared", { names: joinNames(names) });
  if (localSeats.length === 1 && localSeats[0] === game.winners[0]) return t("end.you_win");
  return t("end.wins", { name: names[0] ?? "" });
}

/** The text that names those who have come to the rematch. */
export function rematchText(game, offer) {
  const names = offer.seats.map((seat) => game.players.find((each) => each.seat === seat)?.name);
  return t("end.rematch_offered", { names: joinNames(names.filter(Boolean)) });
}

/** Names as a list in the user's language. */
export function joinNames(names) {
  return new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(names);
}

/** A duration as m:ss or h:mm:ss. */
export function clockText(milliseconds) {
  const all = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60)];
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}
