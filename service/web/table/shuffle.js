// The fair draw as docs/fairness.md states it. SHA-256 is our own, because browsers offer
// theirs only on pages that came over https or from this very machine.

const rootBits = (number, root) => Math.floor((root(number) % 1) * 2 ** 32) >>> 0;
const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number += 1) {
  if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
}
const START = PRIMES.slice(0, 8).map((prime) => rootBits(prime, Math.sqrt));
const ROUNDS = PRIMES.map((prime) => rootBits(prime, Math.cbrt));
const BLOCK = 64;

const turned = (word, by) => (word >>> by) | (word << (32 - by));

function digestBlock(hash, view, at) {
  const words = new Int32Array(64);
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const before = words[i - 15];
    const last = words[i - 2];
    words[i] =
      words[i - 16] +
      (turned(before, 7) ^ turned(before, 18) ^ (before >>> 3)) +
      words[i - 7] +
      (turned(last, 17) ^ turned(last, 19) ^ (last >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i += 1) {
    const one =
      h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i];
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] += word;
  });
}

/** The SHA-256 of bytes. */
export function sha256(bytes) {
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

/** The HMAC-SHA-256 of a message under a key of at most 64 bytes. */
export function hmac(key, message) {
  const padded = (byte) => Uint8Array.from({ length: BLOCK }, (_, i) => (key[i] ?? 0) ^ byte);
  return sha256(joined(padded(0x5c), sha256(joined(padded(0x36), message))));
}

function joined(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Bytes as lower-case hexadecimal digits. */
export const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes that hexadecimal digits write. */
export const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));

/** What is published at the deal: it fixes the seed without telling it. */
export const commitment = (seed) => `sha256:${hexOf(sha256(seed))}`;

function* bytesAt(seed, event) {
  const message = joined(new TextEncoder().encode("qwirkle mix"), new Uint8Array(16));
  const view = new DataView(message.buffer);
  view.setBigUint64(11, BigInt(event));
  for (let block = 0n; ; block += 1n) {
    view.setBigUint64(19, block);
    yield* hmac(seed, message);
  }
}

/** The tiles in the order in which they will be drawn, after the mixing at an event. */
export function mix(tiles, seed, event) {
  const bag = [...tiles].sort((one, other) => one - other);
  const bytes = bytesAt(seed, event);
  for (let last = bag.length - 1; last > 0; last -= 1) {
    const fair = 256 - (256 % (last + 1));
    let byte = bytes.next().value;
    while (byte >= fair) byte = bytes.next().value;
    const chosen = byte % (last + 1);
    [bag[last], bag[chosen]] = [bag[chosen], bag[last]];
  }
  return bag;
}
