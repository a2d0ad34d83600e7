// The service as a whole.

import { readText } from "./bodies.js";
import { FeedReader } from "./feed_reader.js";
import { canStream, follow } from "./follow.js";
import { GameClient } from "./game_client.js";
import { newKey } from "./keys.js";
import { Requests, withQuery } from "./requests.js";
import { Transport } from "./transport.js";

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
  #requests;
  #streams;

  /**
   * @param {string} baseUrl Where it is, e.g. `https://qwirkle.example`.
   * @param {ClientOptions} [options]
   */
  constructor(baseUrl, options = {}) {
    this.#requests = new Requests(new Transport(baseUrl, options), {
      apiKey: options.apiKey ?? null,
      newKey: options.newKey ?? newKey,
      outbox: options.outbox ?? null,
    });
    this.#streams = options.streams ?? canStream();
  }

  /** The API key with which games are created. */
  get apiKey() {
    return this.#requests.apiKey;
  }

  set apiKey(key) {
    this.#requests.apiKey = key;
  }

  /** What is sent with every request; may be changed at any time. */
  get headers() {
    return this.#requests.transport.headers;
  }

  /** The time by the service's clock in milliseconds, to compare with deadlines. */
  now() {
    return this.#requests.transport.now();
  }

  /**
   * A game, for the player or host with this token, or to watch. Nothing is sent yet.
   * @param {string} id
   * @param {string | null} [token]
   */
  game(id, token = null) {
    return new GameClient(this.#requests, this.#streams, id, token);
  }

  /**
   * Creates a game. The answer has a token for the host and one for each player.
   * @param {Body<"createGame">} game
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"createGame">>}
   */
  async createGame(game, options) {
    return (await this.#requests.act("/v1/games", game, { apiKey: true }, options)).content;
  }

  /**
   * Lists the games of the API key's tenant, newest action first. Send `next` as `cursor` to read on.
   * @param {Query<"listGames">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"listGames">>}
   */
  games(query, options) {
    return this.#requests.get(withQuery("/v1/games", query), this.apiKey, options);
  }

  /**
   * What happened in all games of the API key's tenant: after a cursor, or from now on (`now`). With
   * `wait`, the answer comes as soon as something happens, or empty after so many seconds.
   * @param {Query<"getFeed">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"getFeed">>}
   */
  feed(query, options) {
    return this.#requests.get(withQuery("/v1/events", query), this.apiKey, options);
  }

  /**
   * Every event of all games of the API key's tenant, as it happens: after a cursor, from the oldest
   * one on, or from now on (`now`). It resumes by itself after every interruption, without a gap, and
   * does not end; an event that is repeated has the same `id`. A `resync` among them says that
   * earlier events are no longer kept: list the games again.
   * @param {FollowFeedOptions} [options]
   * @returns {AsyncGenerator<FollowedFeedEvent, void, void>}
   */
  follow(options = {}) {
    const reader = new FeedReader(this.#requests.transport, this.#requests, options.after);
    return follow(reader, this.#streams, options);
  }

  /**
   * Takes a seat of the game with this join code. The answer has the game, and the token to play
   * with. `entropy` is as in the `join` of a game. With an API key, wrong codes count against its
   * tenant instead of the address.
   * @param {Body<"joinByCode">} player
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"joinByCode">>}
   */
  async join(player, options) {
    const body = { ...player, entropy: this.#requests.entropy(player.entropy, options) };
    return (await this.#requests.act("/v1/joins", body, { apiKey: true }, options)).content;
  }

  /**
   * Lists open tables, newest first: those of the API key's tenant, or of guests. Send `next` as
   * `cursor` to read on.
   * @param {Query<"listOpenTables">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"listOpenTables">>}
   */
  lobby(query, options) {
    return this.#requests.get(withQuery("/v1/lobby", query), this.apiKey, options);
  }

  /**
   * Takes a seat at an open table of this kind, or opens one. The answer has the game, and the
   * token to play with. `entropy` is as in the `join` of a game.
   * @param {Body<"matchPlayer">} player
   * @param {ActionOptions} [options]
   * @returns {Promise<Answer<"matchPlayer">>}
   */
  async match(player, options) {
    const body = { ...player, entropy: this.#requests.entropy(player.entropy, options) };
    return (await this.#requests.act("/v1/lobby/match", body, { apiKey: true }, options)).content;
  }

  /**
   * Sends an action that was left without an answer in the outbox.
   * @param {PendingAction} action
   * @param {SendOptions} [options]
   * @returns {Promise<any>}
   */
  async resend(action, options) {
    return (await this.#requests.deliver(action, options)).content;
  }

  /**
   * Checks the record of a game: whether everybody, the service too, kept to the rules.
   * @param {Body<"verifyRecord">} record
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"verifyRecord">>}
   */
  verify(record, options) {
    return this.#requests.ask("/v1/records/verify", record, null, options);
  }

  /**
   * The editions of the rules, and the limits of the service.
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"listEditions">>}
   */
  editions(options) {
    return this.#requests.get("/v1/editions", null, options);
  }

  /**
   * Whether the service runs.
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"checkLiveness">>}
   */
  checkLiveness(options) {
    return this.#requests.get("/livez", null, options);
  }

  /**
   * Whether the service can work, which needs its store.
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"checkReadiness">>}
   */
  checkReadiness(options) {
    return this.#requests.get("/readyz", null, options);
  }

  /**
   * The service's figures, in the format of Prometheus.
   * @param {SendOptions} [options]
   * @returns {Promise<string>}
   */
  metrics(options) {
    return this.#requests.get("/metrics", null, options, readText);
  }

  /**
   * The contract: an OpenAPI document.
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"getContractJson">>}
   */
  contract(options) {
    return this.#requests.get("/openapi.json", null, options);
  }

  /**
   * The contract as YAML.
   * @param {SendOptions} [options]
   * @returns {Promise<string>}
   */
  contractYaml(options) {
    return this.#requests.get("/openapi.yaml", null, options, readText);
  }
}
