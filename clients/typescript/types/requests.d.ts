/**
 * A path with a query; members without a value are left out.
 * @param {string} path
 * @param {object} [members]
 */
export function withQuery(path: string, members?: object): string;
export class Requests {
    /**
     * @param {Transport} transport
     * @param {{ apiKey: string | null, newKey: () => string, outbox: Outbox | null }} settings
     */
    constructor(transport: Transport, { apiKey, newKey, outbox }: {
        apiKey: string | null;
        newKey: () => string;
        outbox: Outbox | null;
    });
    transport: Transport;
    apiKey: string | null;
    /**
     * A read.
     * @template [T=any]
     * @param {string} path
     * @param {string | null} token
     * @param {SendOptions} [options]
     * @param {(response: Response) => Promise<T>} [read]
     * @returns {Promise<T>}
     */
    get<T = any>(path: string, token: string | null, options?: SendOptions, read?: (response: Response) => Promise<T>): Promise<T>;
    /**
     * A question with a body; it changes nothing.
     * @param {string} path
     * @param {unknown} body
     * @param {string | null} token
     * @param {SendOptions} [options]
     */
    ask(path: string, body: unknown, token: string | null, options?: SendOptions): Promise<any>;
    /**
     * What to add to the draws of a game, if the caller leaves it open: a random text, but nothing
     * under a key of the caller's, since that would have to be sent again with the same text.
     * @param {string | null | undefined} entropy
     * @param {ActionOptions} [options]
     */
    entropy(entropy: string | null | undefined, options?: ActionOptions): string | null;
    /**
     * An action: it takes effect once, however often it is sent.
     * @param {string} path
     * @param {unknown} body
     * @param {{ token?: string | null, apiKey?: boolean, method?: string }} as
     * @param {ActionOptions} [options]
     */
    act(path: string, body: unknown, { token, apiKey, method }: {
        token?: string | null;
        apiKey?: boolean;
        method?: string;
    }, options?: ActionOptions): Promise<import("./transport.js").Answer<any>>;
    /**
     * Sends an action, perhaps not for the first time.
     * @param {PendingAction} action
     * @param {SendOptions} [options]
     */
    deliver(action: PendingAction, options?: SendOptions): Promise<import("./transport.js").Answer<any>>;
    #private;
}
export type Matching = {
    /**
     * An ETag: the request is refused (412) if the game has changed since.
     */
    ifMatch?: string | undefined;
};
export type Keyed = {
    /**
     * Your own key; otherwise every call makes one.
     */
    idempotencyKey?: string | undefined;
};
export type ActionOptions = SendOptions & Matching & Keyed;
import type { Transport } from "./transport.js";
import type { SendOptions } from "./transport.js";
import type { PendingAction } from "./outbox.js";
import type { Outbox } from "./outbox.js";
