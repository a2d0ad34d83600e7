// What can be seen of a game, with one token or none.

import { readBlob, readJson, readText } from "./bodies.js";
import { UnexpectedAnswer } from "./errors.js";
import { follow } from "./follow.js";
import { LogReader } from "./log_reader.js";
import { withQuery } from "./requests.js";
import { isObject } from "./shapes.js";

/** @import { FollowOptions } from "./follow.js" */
/** @import { Requests } from "./requests.js" */
/** @import { SendOptions } from "./transport.js" */
/** @import { Answer, FollowedEvent, Game, Query } from "../types/contract.d.ts" */

export class GameReader {
  #requests;
  #streams;
  /** @type {{ game: Game, etag: string | null } | null} */
  #newest = null;

  /**
   * @param {Requests} requests
   * @param {boolean} streams
   * @param {string} id
   * @param {string | null} token
   */
  constructor(requests, streams, id, token) {
    this.id = id;
    /** A player's or the host's token; null for a spectator. */
    this.token = token;
    this.#requests = requests;
    this.#streams = streams;
    /** Where the service has the game. */
    this.path = `/v1/games/${encodeURIComponent(id)}`;
  }

  /** The ETag of the newest view of the game, for `ifMatch`; undefined before the first. */
  get etag() {
    return this.#newest?.etag ?? undefined;
  }

  /**
   * The game as you may see it. As long as nothing has changed, this is the same object.
   * @param {SendOptions} [options]
   * @returns {Promise<Game>}
   */
  async view(options) {
    const known = this.#newest;
    const headers = known?.etag ? { "If-None-Match": known.etag } : {};
    const request = { method: "GET", path: this.path, token: this.token, headers };
    /** @param {Response} response */
    const read = async (response) =>
      response.status === 304 && known ? known.game : readJson(response);
    const answer = await this.#requests.transport.send(request, read, options);
    return answer.status === 304 ? answer.content : this.keep(answer.content, answer.headers);
  }

  /**
   * Remembers a view that another answer contained.
   * @protected
   * @param {Game} game
   * @param {Headers} headers
   */
  keep(game, headers) {
    if (!isObject(game)) throw new UnexpectedAnswer("The answer does not have the game");
    this.#newest = { game, etag: headers.get("ETag") };
    return game;
  }

  /**
   * Every event after `after`, or from the first one on, as it happens. It resumes by itself after
   * every interruption, and ends with the game. A `resync` among them says that the store has lost
   * events: look at the game again. Rejects with GameDeleted if the game is deleted.
   * @param {FollowOptions} [options]
   * @returns {AsyncGenerator<FollowedEvent, void, void>}
   */
  follow(options = {}) {
    const { after = 0, rematch = false } = options;
    const game = this;
    const log = {
      path: `${this.path}/events`,
      // It may be renewed while the game is followed.
      get token() {
        return game.token;
      },
    };
    const reader = new LogReader(this.#requests.transport, log, after, rematch);
    return follow(reader, this.#streams, options);
  }

  /**
   * A page of the log; with `wait`, it waits so many seconds for the next event.
   * @param {Query<"getEvents">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"getEvents">>}
   */
  events(query, options = {}) {
    const { timeout = this.#requests.transport.timeout } = options;
    const longer = { ...options, timeout: timeout + (query?.wait ?? 0) * 1000 };
    return this.#get(withQuery("/events", query), longer);
  }

  /**
   * The score sheet.
   * @param {Query<"getScore">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"getScore">>}
   */
  score(query, options) {
    return this.#get(withQuery("/score", query), options);
  }

  /**
   * Your tiles.
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"getHand">>}
   */
  hand(options) {
    return this.#get("/hand", options);
  }

  /**
   * The plays that the rules allow you now.
   * @param {Query<"listLegalPlays">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"listLegalPlays">>}
   */
  legalPlays(query, options) {
    return this.#get(withQuery("/legal-plays", query), options);
  }

  /**
   * How many tiles of each kind you have not seen.
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"countUnseen">>}
   */
  unseen(options) {
    return this.#get("/unseen", options);
  }

  /**
   * The record, from which the game can be replayed and verified.
   * @param {SendOptions} [options]
   * @returns {Promise<Answer<"getRecord">>}
   */
  record(options) {
    return this.#get("/record", options);
  }

  /**
   * A picture of the table as SVG.
   * @param {Query<"getBoardSvg">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<string>}
   */
  boardSvg(query, options) {
    return this.#get(withQuery("/board.svg", query), options, readText);
  }

  /**
   * A picture of the table as PNG.
   * @param {Query<"getBoardPng">} [query]
   * @param {SendOptions} [options]
   * @returns {Promise<Blob>}
   */
  boardPng(query, options) {
    return this.#get(withQuery("/board.png", query), options, readBlob);
  }

  /**
   * @template [T=any]
   * @param {string} path
   * @param {SendOptions} [options]
   * @param {(response: Response) => Promise<T>} [read]
   * @returns {Promise<T>}
   */
  #get(path, options, read) {
    return this.#requests.get(this.path + path, this.token, options, read);
  }
}
