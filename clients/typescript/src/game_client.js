// What can be done in a game, with one token.

import { NotFound, UnexpectedAnswer } from "./errors.js";
import { GameReader } from "./game_reader.js";
import { isToken } from "./shapes.js";

/** @import { ActionOptions, Matching, Requests } from "./requests.js" */
/** @import { SendOptions } from "./transport.js" */
/** @import { Answer, Body, Placement, Tile } from "../types/contract.d.ts" */

/** One game, for the player, host or spectator whose token it has; made by `Qwirkle.game`. */
export class GameClient extends GameReader {
  #requests;

  /**
   * @param {Requests} requests
   * @param {boolean} streams
   * @param {string} id
   * @param {string | null} token
   */
  constructor(requests, streams, id, token) {
    super(requests, streams, id, token);
    this.#requests = requests;
  }

  // With a player's token

  /**
   * Bids the longest line in your hand: its length, or its tiles.
   * @param {number | Tile[]} line
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"bid">>}
   */
  bid(line, options) {
    return this.#act("/bids", Array.isArray(line) ? { tiles: line } : { length: line }, options);
  }

  /**
   * Lays tiles.
   * @param {Placement[]} placements
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"play">>}
   */
  play(placements, options) {
    return this.#act("/plays", { placements }, options);
  }

  /**
   * What a play would score; a ProblemError lists the rules that it would break. Nothing is laid.
   * @param {Placement[]} placements
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"previewPlay">>}
   */
  preview(placements, options) {
    const path = `${this.path}/plays/preview`;
    return this.#requests.ask(path, { placements }, this.token, options);
  }

  /**
   * Exchanges tiles of your hand.
   * @param {Tile[]} tiles
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"exchange">>}
   */
  exchange(tiles, options) {
    return this.#act("/exchanges", { tiles }, options);
  }

  /**
   * Passes, when nothing else is possible.
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"passTurn">>}
   */
  pass(options) {
    return this.#act("/passes", {}, options);
  }

  /**
   * Leaves the game for good; before the deal, gives up the seat.
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"resign">>}
   */
  resign(options) {
    return this.#act("/resignations", {}, options);
  }

  // With no token

  /**
   * Takes an open seat. The answer has the token to play with. `entropy` enters every draw; it is
   * a random text if it is left out, and nothing if it is null.
   * @param {Body<"takeSeat">} player
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"takeSeat">>}
   */
  async join(player, options) {
    const entropy = this.#requests.entropy(player.entropy, options);
    const body = { ...player, entropy };
    return (await this.#requests.act(`${this.path}/players`, body, {}, options)).content;
  }

  // With the host's token, some also with a player's

  /**
   * Mixes the tiles and deals. `entropy` enters every draw; it is a random text if it is left out,
   * and nothing if it is null.
   * @param {string | null | undefined} [entropy]
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"deal">>}
   */
  deal(entropy, options) {
    return this.#act("/deal", { entropy: this.#requests.entropy(entropy, options) }, options);
  }

  /**
   * Changes the table while it is waiting; `metadata` at any time.
   * @param {Body<"updateGame">} changes
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"updateGame">>}
   */
  async update(changes, options) {
    const as = { token: this.token, method: "PATCH" };
    const { content, headers } = await this.#requests.act(this.path, changes, as, options);
    this.keep(content, headers);
    return content;
  }

  /**
   * Seats a bot.
   * @param {Body<"addBot">} bot
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"addBot">>}
   */
  addBot(bot, options) {
    return this.#act("/bots", bot, options);
  }

  /**
   * Removes a player while the game is waiting.
   * @param {number} seat
   * @param {ActionOptions} [options]
   * @returns {Promise<void>}
   */
  async removePlayer(seat, options) {
    const as = { token: this.token, method: "DELETE" };
    await this.#requests.act(`${this.path}/players/${seat}`, {}, as, options);
  }

  /**
   * A new game with the same players, when this one is finished. The answer has your token for it.
   * `entropy` is as in `deal`, and enters every draw if you take your seat with it.
   * @param {string | null | undefined} [entropy]
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"rematch">>}
   */
  async rematch(entropy, options) {
    const body = { entropy: this.#requests.entropy(entropy, options) };
    return (await this.#send("/rematch", body, options)).content;
  }

  /**
   * A new game that continues from here, as it stood after event `after`.
   * @param {number} after
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"forkGame">>}
   */
  async fork(after, options) {
    return (await this.#send("/forks", { after }, options)).content;
  }

  /**
   * Replaces your own token, and uses the new one from now on; or, as the host, that of a seat.
   * @param {number | null} [seat]
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"renewToken">>}
   */
  async renewToken(seat = null, options) {
    const { content } = await this.#send("/tokens", { seat }, options);
    if (!isToken(content.token)) throw new UnexpectedAnswer("The answer has no token that could be used");
    if (seat === null) this.token = content.token;
    return content;
  }

  /**
   * Deletes the game.
   * @param {SendOptions & Matching} [options]
   * @returns {Promise<void>}
   */
  async delete({ ifMatch, ...options } = {}) {
    const headers = ifMatch === undefined ? {} : { "If-Match": ifMatch };
    const request = { method: "DELETE", path: this.path, token: this.token, headers };
    try {
      await this.#requests.transport.send(request, async () => null, options);
    } catch (error) {
      // Another attempt after a lost answer finds nothing to delete.
      if (!(error instanceof NotFound) || error.attempts === 1) throw error;
    }
  }

  /**
   * An action that is answered with the game as it is now.
   * @param {string} path
   * @param {unknown} body
   * @param {ActionOptions} [options]
   */
  async #act(path, body, options) {
    const { content, headers } = await this.#send(path, body, options);
    this.keep(content.game ?? content, headers);
    return content;
  }

  /**
   * @param {string} path
   * @param {unknown} body
   * @param {ActionOptions} [options]
   */
  #send(path, body, options) {
    return this.#requests.act(this.path + path, body, { token: this.token }, options);
  }
}
