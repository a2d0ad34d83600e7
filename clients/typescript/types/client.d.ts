/** @import { FollowFeedOptions } from "./follow.js" */
/** @import { Outbox, PendingAction } from "./outbox.js" */
/** @import { ActionOptions } from "./requests.js" */
/** @import { SendOptions, TransportOptions } from "./transport.js" */
/** @import { Answer, Body, FollowedFeedEvent, Query } from "../types/contract.d.ts" */
/**
 * @typedef {object} ServiceOptions
 * @property {string | null | undefined} [apiKey] For a service that requires one to create games.
 * @property {Outbox | undefined} [outbox] Keeps every action until it is answered.
 * @property {boolean | undefined} [streams]
 *   Whether `fetch` hands over an answer while it arrives. By default this is looked up.
 * @property {(() => string) | undefined} [newKey]
 *   Makes texts, of 16 characters or more, that nobody can guess: idempotency keys, and what is
 *   added to draws.
 */
/** @typedef {TransportOptions & ServiceOptions} ClientOptions */
/** A Qwirkle service. */
export class Qwirkle {
    /**
     * @param {string} baseUrl Where it is, e.g. `https://qwirkle.example`.
     * @param {ClientOptions} [options]
     */
    constructor(baseUrl: string, options?: ClientOptions);
    set apiKey(key: string | null);
    /** The API key with which games are created. */
    get apiKey(): string | null;
    /** What is sent with every request; may be changed at any time. */
    get headers(): Record<string, string>;
    /** The time by the service's clock in milliseconds, to compare with deadlines. */
    now(): number;
    /**
     * A game, for the player or host with this token, or to watch. Nothing is sent yet.
     * @param {string} id
     * @param {string | null} [token]
     */
    game(id: string, token?: string | null): GameClient;
    /**
     * Creates a game. The answer has a token for the host and one for each player.
     * @param {Body<"createGame">} game
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"createGame">>}
     */
    createGame(game: Body<"createGame">, options?: ActionOptions): Promise<Answer<"createGame">>;
    /**
     * Lists the games of the API key's tenant, newest action first. Send `next` as `cursor` to read on.
     * @param {Query<"listGames">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"listGames">>}
     */
    games(query?: Query<"listGames">, options?: SendOptions): Promise<Answer<"listGames">>;
    /**
     * What happened in all games of the API key's tenant: after a cursor, or from now on (`now`). With
     * `wait`, the answer comes as soon as something happens, or empty after so many seconds.
     * @param {Query<"getFeed">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"getFeed">>}
     */
    feed(query?: Query<"getFeed">, options?: SendOptions): Promise<Answer<"getFeed">>;
    /**
     * Every event of all games of the API key's tenant, as it happens: after a cursor, from the oldest
     * one on, or from now on (`now`). It resumes by itself after every interruption, without a gap, and
     * does not end; an event that is repeated has the same `id`. A `resync` among them says that
     * earlier events are no longer kept: list the games again.
     * @param {FollowFeedOptions} [options]
     * @returns {AsyncGenerator<FollowedFeedEvent, void, void>}
     */
    follow(options?: FollowFeedOptions): AsyncGenerator<FollowedFeedEvent, void, void>;
    /**
     * Takes a seat of the game with this join code. The answer has the game, and the token to play
     * with. `entropy` is as in the `join` of a game. With an API key, wrong codes count against its
     * tenant instead of the address.
     * @param {Body<"joinByCode">} player
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"joinByCode">>}
     */
    join(player: Body<"joinByCode">, options?: ActionOptions): Promise<Answer<"joinByCode">>;
    /**
     * Lists open tables, newest first: those of the API key's tenant, or of guests. Send `next` as
     * `cursor` to read on.
     * @param {Query<"listOpenTables">} [query]
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"listOpenTables">>}
     */
    lobby(query?: Query<"listOpenTables">, options?: SendOptions): Promise<Answer<"listOpenTables">>;
    /**
     * Takes a seat at an open table of this kind, or opens one. The answer has the game, and the
     * token to play with. `entropy` is as in the `join` of a game.
     * @param {Body<"matchPlayer">} player
     * @param {ActionOptions} [options]
     * @returns {Promise<Answer<"matchPlayer">>}
     */
    match(player: Body<"matchPlayer">, options?: ActionOptions): Promise<Answer<"matchPlayer">>;
    /**
     * Sends an action that was left without an answer in the outbox.
     * @param {PendingAction} action
     * @param {SendOptions} [options]
     * @returns {Promise<any>}
     */
    resend(action: PendingAction, options?: SendOptions): Promise<any>;
    /**
     * Checks the record of a game: whether everybody, the service too, kept to the rules.
     * @param {Body<"verifyRecord">} record
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"verifyRecord">>}
     */
    verify(record: Body<"verifyRecord">, options?: SendOptions): Promise<Answer<"verifyRecord">>;
    /**
     * The editions of the rules, and the limits of the service.
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"listEditions">>}
     */
    editions(options?: SendOptions): Promise<Answer<"listEditions">>;
    /**
     * Whether the service runs.
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"checkLiveness">>}
     */
    checkLiveness(options?: SendOptions): Promise<Answer<"checkLiveness">>;
    /**
     * Whether the service can work, which needs its store.
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"checkReadiness">>}
     */
    checkReadiness(options?: SendOptions): Promise<Answer<"checkReadiness">>;
    /**
     * The service's figures, in the format of Prometheus.
     * @param {SendOptions} [options]
     * @returns {Promise<string>}
     */
    metrics(options?: SendOptions): Promise<string>;
    /**
     * The contract: an OpenAPI document.
     * @param {SendOptions} [options]
     * @returns {Promise<Answer<"getContractJson">>}
     */
    contract(options?: SendOptions): Promise<Answer<"getContractJson">>;
    /**
     * The contract as YAML.
     * @param {SendOptions} [options]
     * @returns {Promise<string>}
     */
    contractYaml(options?: SendOptions): Promise<string>;
    #private;
}
export type ServiceOptions = {
    /**
     * For a service that requires one to create games.
     */
    apiKey?: string | null | undefined;
    /**
     * Keeps every action until it is answered.
     */
    outbox?: Outbox | undefined;
    /**
     * Whether `fetch` hands over an answer while it arrives. By default this is looked up.
     */
    streams?: boolean | undefined;
    /**
     * Makes texts, of 16 characters or more, that nobody can guess: idempotency keys, and what is
     * added to draws.
     */
    newKey?: (() => string) | undefined;
};
export type ClientOptions = TransportOptions & ServiceOptions;
import { GameClient } from "./game_client.js";
import type { Body } from "../types/contract.d.ts";
import type { ActionOptions } from "./requests.js";
import type { Answer } from "../types/contract.d.ts";
import type { Query } from "../types/contract.d.ts";
import type { SendOptions } from "./transport.js";
import type { FollowFeedOptions } from "./follow.js";
import type { FollowedFeedEvent } from "../types/contract.d.ts";
import type { PendingAction } from "./outbox.js";
import type { Outbox } from "./outbox.js";
import type { TransportOptions } from "./transport.js";
