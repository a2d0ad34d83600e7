// Runs the TypeScript client for a test: calls come as lines of JSON, and so do their outcomes.
//
// Usage: node driver.mjs '{"baseUrl": ..., "package": ..., "outbox": ..., "options": {...}}'
// A call: {"id", "game": [id, token] | null, "method", "args", "options"}; "undefined" among its
// arguments stands for one that is left out. Its outcomes have the same id: "result" or "error" once,
// "item" and "connection" while an iteration goes on.
// {"abort": id} aborts a call, {"skip": ms} moves the clock on.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const setup = JSON.parse(process.argv[2]);
if (setup.reactNative) becomeReactNative(createRequire(setup.reactNative));
const { Outbox, Qwirkle } = await import(pathToFileURL(setup.package));

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const outbox = setup.outbox && new Outbox(fileStorage(setup.outbox));
const qwirkle = new Qwirkle(setup.baseUrl, {
  ...setup.options,
  ...(outbox ? { outbox } : {}),
  onRetry: (error, { method, path }) => say({ retry: `${method} ${path}`, error: described(error) }),
});
const games = new Map();
const calls = new Map();

function targetOf(game) {
  if (game === null) return qwirkle;
  if (game === "outbox") return outbox;
  const key = game.join(" ");
  if (!games.has(key)) games.set(key, qwirkle.game(...game));
  return games.get(key);
}

async function run({ id, game, method, args, options }) {
  const controller = new AbortController();
  calls.set(id, controller);
  const onConnection = (connection) => say({ id, connection });
  const call = { ...options, signal: controller.signal, onConnection };
  try {
    const outcome = targetOf(game)[method](...args.map(given), call);
    if (Symbol.asyncIterator in outcome) {
      for await (const item of outcome) say({ id, item });
      say({ id, result: null });
    } else say({ id, result: await readable(await outcome), etag: targetOf(game).etag ?? null });
  } catch (error) {
    say({ id, error: described(error) });
  }
  calls.delete(id);
}

function given(argument) {
  return argument === "undefined" ? undefined : argument;
}

async function readable(result) {
  if (result?.constructor.name !== "Blob") return result ?? null;
  return Buffer.from(await result.arrayBuffer()).toString("base64");
}

function described(error) {
  const { name, message, attempts, transient, requestId, retryAfter } = error;
  const { code, status, title, detail, errors, violations } = error;
  const facts = { name, message, attempts, transient, requestId, retryAfter };
  return { ...facts, code, status, title, detail, errors, violations };
}

function fileStorage(file) {
  return {
    getItem: () => (existsSync(file) ? readFileSync(file, "utf8") : null),
    setItem: async (_, value) => writeFileSync(file, value),
  };
}

/** Leaves only what React Native has of what the client uses, and what can be had of it for Node. */
function becomeReactNative(require) {
  globalThis.FormData; // Node loads it on first use, with what is deleted next.
  const missing = ["Blob", "fetch", "Headers", "ReadableStream", "Request", "Response", "TextDecoder"];
  for (const name of missing) delete globalThis[name];
  globalThis.AbortController = require("abort-controller").AbortController;
  globalThis.AbortSignal = require("abort-controller").AbortSignal;
  globalThis.XMLHttpRequest = require("xhr2");
  Object.defineProperty(globalThis, "navigator", { value: { product: "ReactNative" } });
  require("whatwg-fetch");
  if (!setup.random) Object.defineProperty(globalThis, "crypto", { value: undefined });
}

const now = Date.now.bind(Date);
let skipped = 0;
Date.now = () => now() + skipped;

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if ("abort" in request) calls.get(request.abort)?.abort();
  else if ("skip" in request) skipped += request.skip;
  else run(request);
}
process.exit();
