// Reads the bodies of answers, within limits.

import { UnexpectedAnswer } from "./errors.js";
import { isObject } from "./shapes.js";

/** The longest answer that is read, unpacked; the service's longest have 3 MB. */
const MOST_BYTES = 16 * 2 ** 20;

/**
 * The JSON object of a success.
 * @param {Response} response
 * @returns {Promise<any>}
 */
export async function readJson(response) {
  const content = parseJson(await readText(response));
  if (!isObject(content)) throw new UnexpectedAnswer(`HTTP ${response.status} without a JSON object`);
  return content;
}

/**
 * @param {Response} response
 * @returns {Promise<string>}
 */
export async function readText(response) {
  if (!response.body) return response.text();
  const decoder = new TextDecoder();
  const pieces = await readPieces(response.body);
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}

/**
 * @param {Response} response
 * @returns {Promise<Blob>}
 */
export async function readBlob(response) {
  if (!response.body) return response.blob();
  const type = response.headers.get("Content-Type") ?? "";
  return new Blob(await readPieces(response.body), { type });
}

/**
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {Promise<Uint8Array<ArrayBuffer>[]>}
 */
async function readPieces(body) {
  const reader = body.getReader();
  const pieces = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return pieces;
    size += value.length;
    if (size > MOST_BYTES) throw new UnexpectedAnswer(`The answer has more than ${MOST_BYTES} bytes`);
    pieces.push(value);
  }
}

/**
 * @param {string} text
 * @returns {any} undefined if it is not JSON
 */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
