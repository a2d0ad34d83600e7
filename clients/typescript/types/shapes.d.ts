/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
export function isObject(value: unknown): value is Record<string, any>;
/**
 * Whether it can be a token, as far as a header could carry it.
 * @param {unknown} value
 * @returns {value is string}
 */
export function isToken(value: unknown): value is string;
/**
 * Whether it can be sent back to the service as the id of an event.
 * @param {unknown} value
 */
export function isId(value: unknown): boolean;
/**
 * Whether it can be the number of an event, or 0.
 * @param {unknown} value
 * @returns {value is number}
 */
export function isNumber(value: unknown): value is number;
/**
 * Refuses what is not the event after number `after`.
 * @param {unknown} event
 * @param {number} after
 */
export function checkEvent(event: unknown, after: number): void;
/**
 * A page, if it has the events after a number, one after the other.
 * @param {Record<string, any>} page
 * @param {number} after
 * @returns {Answer<"getEvents">}
 */
export function checkedPage(page: Record<string, any>, after: number): Answer<"getEvents">;
import type { Answer } from "../types/contract.d.ts";
