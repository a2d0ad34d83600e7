// Keeps actions in a storage until they are answered, so that no reload or crash loses one.

import { ProblemError } from "./errors.js";

/**
 * `localStorage`, or React Native's AsyncStorage.
 * @typedef {object} Storage
 * @property {(name: string) => string | null | Promise<string | null>} getItem
 * @property {(name: string, value: string) => unknown} setItem
 */

/**
 * An action that is kept. It holds the game's token, but never the API key.
 * @typedef {object} PendingAction
 * @property {string} key The idempotency key.
 * @property {string} method
 * @property {string} path
 * @property {string} body As JSON.
 * @property {string | null} token The game's token.
 * @property {boolean} apiKey Whether it is sent with the client's API key.
 * @property {string | null} ifMatch The ETag that the game must have.
 * @property {number} at When it was first sent, in milliseconds.
 */

/**
 * @typedef {object} OutboxOptions
 * @property {string} [name] The name in the storage.
 * @property {(answer: any, action: PendingAction) => unknown} [onAnswer]
 *   Called, and awaited, before an answered action is removed: the place to save new tokens.
 */

const LONGEST_MS = 20 * 3600 * 1000; // the service remembers a key for 24 hours

export class Outbox {
  #storage;
  #name;
  #onAnswer;
  /** @type {Map<string, Promise<any>>} */
  #inFlight = new Map();
  /** Changes wait for each other, since a storage may be asynchronous. @type {Promise<unknown>} */
  #changes = Promise.resolve();

  /**
   * @param {Storage} storage
   * @param {OutboxOptions} [options]
   */
  constructor(storage, { name = "qwirkle.outbox", onAnswer } = {}) {
    this.#storage = storage;
    this.#name = name;
    this.#onAnswer = onAnswer;
  }

  /**
   * The actions without an answer, oldest first.
   * @returns {Promise<PendingAction[]>}
   */
  async pending() {
    return Object.values(await this.#read()).sort((one, other) => one.at - other.at);
  }

  /**
   * Keeps an action while it is sent; one that is being sent already is not sent twice.
   * @template {{ content: any }} T
   * @param {PendingAction} action
   * @param {() => Promise<T>} send
   * @returns {Promise<T>}
   */
  deliver(action, send) {
    const running = this.#inFlight.get(action.key);
    if (running) return running;
    const delivery = this.#deliver(action, send).finally(() => this.#inFlight.delete(action.key));
    this.#inFlight.set(action.key, delivery);
    return delivery;
  }

  /**
   * @template {{ content: any }} T
   * @param {PendingAction} action
   * @param {() => Promise<T>} send
   */
  async #deliver(action, send) {
    await this.#change((actions) => ({ ...actions, [action.key]: action }));
    try {
      const answer = await send();
      await this.#onAnswer?.(answer.content, action);
      await this.#remove(action);
      return answer;
    } catch (error) {
      // Any other failure, also a refusal by a proxy, leaves open what has happened.
      const refused = error instanceof ProblemError && error.code !== "" && !error.transient;
      if (refused) await this.#remove(action);
      throw error;
    }
  }

  /** @param {PendingAction} action */
  #remove({ key }) {
    return this.#change(({ [key]: _, ...others }) => others);
  }

  /** @param {(actions: Record<string, PendingAction>) => Record<string, PendingAction>} how */
  #change(how) {
    const changed = this.#changes.then(async () => {
      try {
        await this.#storage.setItem(this.#name, JSON.stringify(how(await this.#read())));
      } catch {
        // A full or forbidden storage must not keep anybody from playing.
      }
    });
    this.#changes = changed;
    return changed;
  }

  /**
   * What is kept, without what is too old to be repeated.
   * @returns {Promise<Record<string, PendingAction>>}
   */
  async #read() {
    try {
      const kept = JSON.parse((await this.#storage.getItem(this.#name)) ?? "{}");
      const oldest = Date.now() - LONGEST_MS;
      return Object.fromEntries(Object.entries(kept).filter(([, action]) => action.at > oldest));
    } catch {
      return {};
    }
  }
}
