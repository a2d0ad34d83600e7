// The shuffle of docs/fairness.md. It has its own SHA-256 because browsers offer crypto.subtle
// only over https and on localhost.

const fractionBits = (number, root) => Math.floor((root(number) % 1) * 2 ** 32) >>> 0;
const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number += 1) {
  if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
}
const START = PRIMES.slice(0, 8).map((prime) => fractionBits(prime, Math.sqrt));
const ROUNDS = PRIMES.map((prime) => fractionBits(prime, Math.cbrt));
const BLOCK = 64;
const utf8 = new TextEncoder();

const rotate = (word, by) => (word >>> by) | (word << (32 - by));

function digestBlock(hash, view, at) {
  const words = new Int32Array(64);
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const before = words[i - 15];
    const last = words[i - 2];
    words[i] =
      words[i - 16] +
      (rotate(before, 7) ^ rotate(before, 18) ^ (before >>> 3)) +
      words[i - 7] +
      (rotate(last, 17) ^ rotate(last, 19) ^ (last >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i += 1) {
    const one =
      h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i];
    const two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] += word;
  });
}

function sha256(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const hash = Int32Array.from(START);
  for (let at = 0; at < padded.length; at += BLOCK) digestBlock(hash, view, at);
  const digest = new Uint8Array(32);
  hash.forEach((word, i) => new DataView(digest.buffer).setInt32(4 * i, word));
  return digest;
}

/** HMAC-SHA-256; the key has at most 64 bytes. */
function hmac(key, message) {
  const padded = (byte) => Uint8Array.from({ length: BLOCK }, (_, i) => (key[i] ?? 0) ^ byte);
  return sha256(concat(padded(0x5c), sha256(concat(padded(0x36), message))));
}

function concat(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));

/** A hash as records write it. */
export const digestOf = (bytes) => `sha256:${hexOf(sha256(bytes))}`;

/** Eight bytes, most significant first. */
function numberBytes(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/** The seed of the draws: of the secret, and of `{ event, text }` for all entropy that was added. */
export function seedOf(secret, entropy) {
  if (!entropy.length) return secret;
  const parts = entropy.flatMap(({ event, text }) => {
    const bytes = utf8.encode(text);
    return [numberBytes(event), numberBytes(bytes.length), bytes];
  });
  return hmac(secret, concat(utf8.encode("qwirkle entropy"), ...parts));
}

function* randomBytes(seed, label, event) {
  for (let block = 0; ; block += 1) {
    yield* hmac(seed, concat(utf8.encode(label), numberBytes(event), numberBytes(block)));
  }
}

/** A number below the bound; bytes that would favour some numbers are skipped. */
function numberBelow(bound, bytes) {
  const fair = 256 - (256 % bound);
  let byte = bytes.next().value;
  while (byte >= fair) byte = bytes.next().value;
  return byte % bound;
}

/** The tiles in drawing order after the shuffle at an event. */
export function shuffle(tiles, seed, event) {
  const bag = [...tiles].sort((one, other) => one - other);
  const bytes = randomBytes(seed, "qwirkle mix", event);
  for (let last = bag.length - 1; last > 0; last -= 1) {
    const chosen = numberBelow(last + 1, bytes);
    [bag[last], bag[chosen]] = [bag[chosen], bag[last]];
  }
  return bag;
}

/** One of these seats, by lot at an event. */
export const drawLot = (seats, seed, event) =>
  seats[numberBelow(seats.length, randomBytes(seed, "qwirkle lot", event))];
