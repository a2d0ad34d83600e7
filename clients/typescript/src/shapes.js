// Checks what a server sends before the client relies on it: the other side may be anything.

import { UnexpectedAnswer } from "./errors.js";

/** @import { Answer } from "../types/contract.d.ts" */

const VISIBLE = /^[!-~]+$/;
const LONGEST_ID = 200;

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether it can be a token, as far as a header could carry it.
 * @param {unknown} value
 * @returns {value is string}
 */
export function isToken(value) {
  return typeof value === "string" && VISIBLE.test(value);
}

/**
 * Whether it can be sent back to the service as the id of an event.
 * @param {unknown} value
 */
export function isId(value) {
  return isToken(value) && value.length <= LONGEST_ID;
}

/**
 * Whether it can be the number of an event, or 0.
 * @param {unknown} value
 * @returns {value is number}
 */
export function isNumber(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * Refuses what is not the event after number `after`.
 * @param {unknown} event
 * @param {number} after
 */
export function checkEvent(event, after) {
  if (!isObject(event) || event.n !== after + 1 || !isId(event.id)) {
    throw new UnexpectedAnswer(`The log has something else than event ${after + 1}`);
  }
}

/**
 * A page, if it has the events after a number, one after the other.
 * @param {Record<string, any>} page
 * @param {number} after
 * @returns {Answer<"getEvents">}
 */
export function checkedPage(page, after) {
  const { events, last } = page;
  if (!Array.isArray(events) || !isNumber(last)) {
    throw new UnexpectedAnswer("The answer is not a page of the log");
  }
  events.forEach((event, index) => checkEvent(event, after + index));
  if (last > after && !events.length) throw new UnexpectedAnswer("A page of the log lacks events");
  return { ...page, events, last };
}
