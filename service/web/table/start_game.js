// Starts a game: against the computer, with a friend, or with any body of POST /v1/games.

import { qwirkle } from "./api.js";
import { showError } from "./error_text.js";
import { language, t } from "./i18n.js";
import { playerName } from "./player_name.js";

/** The computer's levels, weakest first: bots of these names. */
export const LEVELS = ["easy", "medium", "hard", "expert"];

const EDITIONS = { en: "english", pl: "polish", ru: "russian" };

/** The edition of the rules that people who speak the page's language have at home. */
export function usualEdition() {
  return EDITIONS[language()] ?? "schmidt";
}

/** Starts a game against one bot. Everybody's longest line is bid for them. */
export function playComputer(app, bot) {
  return startGame(app, {
    players: [{ name: playerName() }, { name: t(`bot.name_${bot}`), bot }],
    auto_bid: true,
    auto_deal: true,
  });
}

/** Opens a table for friends; it deals by itself once they have come. */
export function inviteFriend(app) {
  return startGame(app, {
    players: [{ name: playerName() }],
    seats: 2,
    private: true,
    auto_bid: true,
    auto_deal: true,
  });
}

/** Takes a seat at any open table for two, or opens one where somebody else will be seated. */
export function playNow(app) {
  return open(app, () => qwirkle.match({ name: playerName(), seats: 2 }));
}

/** Creates a game and opens it; false if that was refused. */
export function startGame(app, body) {
  return open(app, () => qwirkle.createGame({ edition: usualEdition(), ...body }));
}

async function open(app, find) {
  try {
    const { game } = await find();
    app.go(`game=${game.id}`);
    return true;
  } catch (error) {
    showError(error);
    if (error.status === 401 || error.status === 403) (await import("./menu.js")).askKey();
    return false;
  }
}
