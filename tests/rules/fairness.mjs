// The fair draw once more, in another language, from the words of docs/fairness.md alone.
// Usage: node fairness.mjs <vectors.json>; tells every vector that comes out differently.

import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"];
const SHAPES = ["circle", "square", "diamond", "star", "clover", "cross"];
const NAMES = COLOURS.flatMap((colour) => SHAPES.map((shape) => `${colour}-${shape}`));

const hmac = (key, message) => createHmac("sha256", key).update(message).digest();

const secretFrom = (text) => hmac(Buffer.from("qwirkle seed"), Buffer.from(text, "utf8"));

const commitment = (secret) => `sha256:${createHash("sha256").update(secret).digest("hex")}`;

function number(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function seedOf(secret, entropy) {
  if (!entropy.length) return secret;
  const parts = entropy.flatMap(({ event, text }) => {
    const bytes = Buffer.from(text, "utf8");
    return [number(event), number(bytes.length), bytes];
  });
  return hmac(secret, Buffer.concat([Buffer.from("qwirkle entropy"), ...parts]));
}

function* stream(seed, event, label = "qwirkle mix") {
  for (let block = 0n; ; block += 1n) {
    yield* hmac(seed, Buffer.concat([Buffer.from(label), number(event), number(block)]));
  }
}

function below(bound, bytes) {
  const fair = 256 - (256 % bound);
  let byte = bytes.next().value;
  while (byte >= fair) byte = bytes.next().value;
  return byte % bound;
}

const lot = (seats, seed, event) => seats[below(seats.length, stream(seed, event, "qwirkle lot"))];

function mix(names, seed, event) {
  const bag = names.map((name) => NAMES.indexOf(name)).sort((one, other) => one - other);
  const bytes = stream(seed, event);
  for (let last = bag.length - 1; last > 0; last -= 1) {
    const chosen = below(last + 1, bytes);
    [bag[last], bag[chosen]] = [bag[chosen], bag[last]];
  }
  return bag.map((tile) => NAMES[tile]);
}

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));
const wrong = [];
const compare = (what, got, expected) => {
  if (JSON.stringify(got) !== JSON.stringify(expected)) wrong.push(`${what}: ${got}`);
};

for (const { text, secret, commitment: published } of vectors.secrets) {
  compare(`secret of "${text}"`, secretFrom(text).toString("hex"), secret);
  compare(`commitment of "${text}"`, commitment(Buffer.from(secret, "hex")), published);
}
for (const { secret, entropy, seed } of vectors.entropy) {
  const what = `seed of ${entropy.length} entropies`;
  compare(what, seedOf(Buffer.from(secret, "hex"), entropy).toString("hex"), seed);
}
for (const { seed, event, first_bytes: expected } of vectors.streams) {
  const bytes = stream(Buffer.from(seed, "hex"), event);
  const got = Buffer.from(Array.from({ length: expected.length / 2 }, () => bytes.next().value));
  compare(`stream of event ${event}`, got.toString("hex"), expected);
}
for (const { seed, event, tiles, order } of vectors.mixings) {
  const whole = tiles === "all 108" ? NAMES.flatMap((name) => [name, name, name]) : tiles;
  compare(`mixing at event ${event}`, mix(whole, Buffer.from(seed, "hex"), event), order);
}
for (const { seed, event, seats, chosen } of vectors.lots) {
  compare(`lot at event ${event}`, lot(seats, Buffer.from(seed, "hex"), event), chosen);
}
const parts = ["secrets", "entropy", "streams", "mixings", "lots"];
for (const problem of wrong) console.log(problem);
console.log(`${parts.reduce((sum, part) => sum + vectors[part].length, 0)} vectors`);
process.exit(wrong.length ? 1 : 0);
