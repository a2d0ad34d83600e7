/** @import { FollowOptions } from "./follow.js" */
/** @import { Requests } from "./requests.js" */
/** @import { SendOptions } from "./transport.js" */
/** @import { Answer, FollowedEvent, Game, Query } from "../types/contract.d.ts" */
export class GameReader {
    /**
     * @param {Requests} requests
     * @param {boolean} streams
     * @param {string} id
     * @param {string | null} token
     */
    constructor(requests: Requests, streams: boolean, id: string, token: string | null);
    id: string;
    /** A player's or the host's token; null for a spectator. */
    token: string | null;
    /** Where the service has the game. */
    path: string;
    /** The ETag of the newest view of the game, for `ifMatch`; undefined before the first. */
    get etag(): string | undefined;
    /**
     * The game as you may see it. As long as nothing has changed, this is the same object.
     * @param {SendOptions} [options]
     * @returns {Promise<Game>}
     */
    view(options?: SendOptions): Promise<Game>;
    /**
     * Remembers a view that another answer contained.
     * @protected
     * @param {Game} game
     * @param {Headers} headers
     */
    protected keep(game: Game, headers: Headers): {
        id: string;
        edition: import("../types/openapi.js").components["schemas"]["EditionId"];
        status: import("../types/openapi.js").components["schemas"]["GameStatus"];
        version: number;
        created_at: string;
        updated_at: string;
        expires_at: string;
        seeded: boolean;
        setup: boolean;
        private: boolean;
        listed: boolean;
        auto_deal: boolean;
        hints: boolean;
        turn_seconds: number | null;
        commitment: string;
        seed: string | null;
        players: import("../types/openapi.js").components["schemas"]["Player"][];
        seats: number;
        reserved: number[];
        turn: import("../types/openapi.js").components["schemas"]["Turn"] | null;
        bag_count: number;
        removed_count: number;
        board: import("../types/openapi.js").components["schemas"]["BoardTile"][];
        last_event: import("../types/openapi.js").components["schemas"]["LastEvent"];
        winners: number[] | null;
        end: import("../types/openapi.js").components["schemas"]["EndReason"] | null;
        rematch: import("../types/openapi.js").components["schemas"]["RematchOffer"] | null;
        you: import("../types/openapi.js").components["schemas"]["You"] | null;
        host: import("../types/openapi.js").components["schemas"]["HostView"] | null;
    };
    /**
     * Every event after `after`, or from the first one on, as it happens. It resumes by itself after
     * every interruption, and ends with the game. A `resync` among them says that the store has lost
     * events: look at the game again. Rejects with GameDeleted if the game is deleted.
     * @param {FollowOptions} [options]
     * @returns {AsyncGenerator<FollowedEvent, void, void>}
     */
    follow(options?: FollowOptions): AsyncGenerator<FollowedEvent, void, void>;
    /**
     * A page of the log; with `wait`, it waits so many seconds for the next event.
     * @param {Query<"getEvents">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"getEvents">>}
     */
    events(query?: Query<"getEvents">, options?: SendOptions): Promise<Answer<"getEvents">>;
    /**
     * The score sheet.
     * @param {Query<"getScore">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"getScore">>}
     */
    score(query?: Query<"getScore">, options?: SendOptions): Promise<Answer<"getScore">>;
    /**
     * Your tiles.
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"getHand">>}
     */
    hand(options?: SendOptions): Promise<Answer<"getHand">>;
    /**
     * The plays that the rules allow you now.
     * @param {Query<"listLegalPlays">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"listLegalPlays">>}
     */
    legalPlays(query?: Query<"listLegalPlays">, options?: SendOptions): Promise<Answer<"listLegalPlays">>;
    /**
     * How many tiles of each kind you have not seen.
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"countUnseen">>}
     */
    unseen(options?: SendOptions): Promise<Answer<"countUnseen">>;
    /**
     * The record, from which the game can be replayed and verified.
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"getRecord">>}
     */
    record(options?: SendOptions): Promise<Answer<"getRecord">>;
    /**
     * A picture of the table as SVG.
     * @param {Query<"getBoardSvg">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<string>}
     */
    boardSvg(query?: Query<"getBoardSvg">, options?: SendOptions): Promise<string>;
    /**
     * A picture of the table as PNG.
     * @param {Query<"getBoardPng">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<Blob>}
     */
    boardPng(query?: Query<"getBoardPng">, options?: SendOptions): Promise<Blob>;
    #private;
}
import type { SendOptions } from "./transport.js";
import type { Game } from "../types/contract.d.ts";
import type { FollowOptions } from "./follow.js";
import type { FollowedEvent } from "../types/contract.d.ts";
import type { Query } from "../types/contract.d.ts";
import type { Answer } from "../types/contract.d.ts";
import type { Requests } from "./requests.js";
