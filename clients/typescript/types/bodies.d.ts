/**
 * The JSON object of a success.
 * @param {Response} response
 * @returns {Promise<any>}
 */
export function readJson(response: Response): Promise<any>;
/**
 * @param {Response} response
 * @returns {Promise<string>}
 */
export function readText(response: Response): Promise<string>;
/**
 * @param {Response} response
 * @returns {Promise<Blob>}
 */
export function readBlob(response: Response): Promise<Blob>;
/**
 * @param {string} text
 * @returns {any} undefined if it is not JSON
 */
export function parseJson(text: string): any;
