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

function* randomBytes(seed, event) {
  const message = concat(new TextEncoder().encode("qwirkle mix"), new Uint8Array(16));
  const view = new DataView(message.buffer);
  view.setBigUint64(11, BigInt(event));
  for (let block = 0n; ; block += 1n) {
    view.setBigUint64(19, block);
    yield* hmac(seed, message);
  }
}

/** The tiles in drawing order after the shuffle at an event. */
export function shuffle(tiles, seed, event) {
  const bag = [...tiles].sort((one, other) => one - other);
  const bytes = randomBytes(seed, event);
  for (let last = bag.length - 1; last > 0; last -= 1) {
    const fair = 256 - (256 % (last + 1));
    let byte = bytes.next().value;
    while (byte >= fair) byte = bytes.next().value;
    const chosen = byte % (last + 1);
    [bag[last], bag[chosen]] = [bag[chosen], bag[last]];
  }
  return bag;
}
