// Idempotency keys.

/**
 * A key that nobody can guess: under the key of a creation the service repeats the tokens.
 * @returns {string}
 */
export function newKey() {
  if (typeof globalThis.crypto?.getRandomValues !== "function") {
    throw new Error(
      "This platform has no crypto.getRandomValues. In React Native import " +
        "'react-native-get-random-values' first, or pass `newKey` to the client.",
    );
  }
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
