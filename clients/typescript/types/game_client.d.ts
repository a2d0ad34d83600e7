/** @import { ActionOptions, Matching, Requests } from "./requests.js" */
/** @import { SendOptions } from "./transport.js" */
/** @import { Answer, Body, Placement, Tile } from "../types/contract.d.ts" */
/** One game, for the player, host or spectator whose token it has; made by `Qwirkle.game`. */
export class GameClient extends GameReader {
    /**
     * Bids the longest line in your hand: its length, or its tiles.
     * @param {number | Tile[]} line
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"bid">>}
     */
    bid(line: number | Tile[], options?: ActionOptions): Promise<Answer<"bid">>;
    /**
     * Lays tiles.
     * @param {Placement[]} placements
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"play">>}
     */
    play(placements: Placement[], options?: ActionOptions): Promise<Answer<"play">>;
    /**
     * What a play would score; a ProblemError lists the rules that it would break. Nothing is laid.
     * @param {Placement[]} placements
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"previewPlay">>}
     */
    preview(placements: Placement[], options?: SendOptions): Promise<Answer<"previewPlay">>;
    /**
     * Exchanges tiles of your hand.
     * @param {Tile[]} tiles
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"exchange">>}
     */
    exchange(tiles: Tile[], options?: ActionOptions): Promise<Answer<"exchange">>;
    /**
     * Passes, when nothing else is possible.
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"passTurn">>}
     */
    pass(options?: ActionOptions): Promise<Answer<"passTurn">>;
    /**
     * Leaves the game for good; before the deal, gives up the seat.
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"resign">>}
     */
    resign(options?: ActionOptions): Promise<Answer<"resign">>;
    /**
     * Takes an open seat. The answer has the token to play with. `entropy` enters every draw; it is
     * a random text if it is left out, and nothing if it is null.
     * @param {Body<"takeSeat">} player
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"takeSeat">>}
     */
    join(player: Body<"takeSeat">, options?: ActionOptions): Promise<Answer<"takeSeat">>;
    /**
     * Mixes the tiles and deals. `entropy` enters every draw; it is a random text if it is left out,
     * and nothing if it is null.
     * @param {string | null | undefined} [entropy]
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"deal">>}
     */
    deal(entropy?: string | null | undefined, options?: ActionOptions): Promise<Answer<"deal">>;
    /**
     * Changes the table while it is waiting; `metadata` at any time.
     * @param {Body<"updateGame">} changes
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"updateGame">>}
     */
    update(changes: Body<"updateGame">, options?: ActionOptions): Promise<Answer<"updateGame">>;
    /**
     * Seats a bot.
     * @param {Body<"addBot">} bot
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"addBot">>}
     */
    addBot(bot: Body<"addBot">, options?: ActionOptions): Promise<Answer<"addBot">>;
    /**
     * Removes a player while the game is waiting.
     * @param {number} seat
     * @param {ActionOptions} [options]
     * @returns {Promise<void>}
     */
    removePlayer(seat: number, options?: ActionOptions): Promise<void>;
    /**
     * A new game with the same players, when this one is finished. The answer has your token for it.
     * `entropy` is as in `deal`, and enters every draw if you take your seat with it.
     * @param {string | null | undefined} [entropy]
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"rematch">>}
     */
    rematch(entropy?: string | null | undefined, options?: ActionOptions): Promise<Answer<"rematch">>;
    /**
     * A new game that continues from here, as it stood after event `after`.
     * @param {number} after
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"forkGame">>}
     */
    fork(after: number, options?: ActionOptions): Promise<Answer<"forkGame">>;
    /**
     * Replaces your own token, and uses the new one from now on; or, as the host, that of a seat.
     * @param {number | null} [seat]
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"renewToken">>}
     */
    renewToken(seat?: number | null, options?: ActionOptions): Promise<Answer<"renewToken">>;
    /**
     * Deletes the game.
     * @param {SendOptions & Matching} [options]
     * @returns {Promise<void>}
     */
    delete({ ifMatch, ...options }?: SendOptions & Matching): Promise<void>;
    #private;
}
import { GameReader } from "./game_reader.js";
import type { Tile } from "../types/contract.d.ts";
import type { ActionOptions } from "./requests.js";
import type { Answer } from "../types/contract.d.ts";
import type { Placement } from "../types/contract.d.ts";
import type { SendOptions } from "./transport.js";
import type { Body } from "../types/contract.d.ts";
import type { Matching } from "./requests.js";
