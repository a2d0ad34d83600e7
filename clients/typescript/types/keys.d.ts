/**
 * A key that nobody can guess: under the key of a creation the service repeats the tokens.
 * @returns {string}
 */
export function newKey(): string;
