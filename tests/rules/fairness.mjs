// The fair draw once more, in another language, from the words of docs/fairness.md alone.
// Usage: node fairness.mjs <vectors.json>; tells every vector that comes out differently.

import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"];
const SHAPES = ["circle", "square", "diamond", "star", "clover", "cross"];
const NAMES = COLOURS.flatMap((colour) => SHAPES.map((shape) => `${colour}-${shape}`));

const hmac = (key, message) => createHmac("sha256", key).update(message).digest();

const seedFrom = (text) => hmac(Buffer.from("qwirkle seed"), Buffer.from(text, "utf8"));

const commitment = (seed) => `sha256:${createHash("sha256").update(seed).digest("hex")}`;

function* stream(seed, event) {
  for (let block = 0n; ; block += 1n) {
    const numbers = Buffer.alloc(16);
    numbers.writeBigUInt64BE(BigInt(event), 0);
    numbers.writeBigUInt64BE(block, 8);
    yield* hmac(seed, Buffer.concat([Buffer.from("qwirkle mix"), numbers]));
  }
}

function mix(names, seed, event) {
  const bag = names.map((name) => NAMES.indexOf(name)).sort((one, other) => one - other);
  const bytes = stream(seed, event);
  for (let last = bag.length - 1; last > 0; last -= 1) {
    const bound = last + 1;
    const fair = 256 - (256 % bound);
    let byte = bytes.next().value;
    while (byte >= fair) byte = bytes.next().value;
    const chosen = byte % bound;
    [bag[last], bag[chosen]] = [bag[chosen], bag[last]];
  }
  return bag.map((tile) => NAMES[tile]);
}

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));
const wrong = [];
const compare = (what, got, expected) => {
  if (JSON.stringify(got) !== JSON.stringify(expected)) wrong.push(`${what}: ${got}`);
};

for (const { text, seed, commitment: published } of vectors.seeds) {
  compare(`seed of "${text}"`, seedFrom(text).toString("hex"), seed);
  compare(`commitment of "${text}"`, commitment(Buffer.from(seed, "hex")), published);
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
for (const problem of wrong) console.log(problem);
console.log(`${vectors.seeds.length + vectors.streams.length + vectors.mixings.length} vectors`);
process.exit(wrong.length ? 1 : 0);
