// A program that only has to compile: what the types promise, and what they refuse.

import {
  Conflict,
  GameDeleted,
  NoAnswer,
  Outbox,
  ProblemError,
  Qwirkle,
  QwirkleError,
  Refused,
  type FollowedEvent,
  type Game,
  type GameClient,
  type Placement,
  type Tile,
} from "qwirkle-client";

const outbox = new Outbox(localStorage, { onAnswer: (_answer, action) => console.log(action.key) });
const qwirkle = new Qwirkle("https://qwirkle.example", {
  apiKey: null,
  headers: { "Accept-Language": "de" },
  outbox,
  onRetry: (error, { method, path }) => console.log(error.attempts, method, path),
});

const tile: Tile = "red-circle";
const placements: Placement[] = [{ tile, x: 0, y: -1 }];
const game: GameClient = qwirkle.game("id", null);

export async function play(signal: AbortSignal): Promise<number> {
  const view: Game = await game.view({ signal });
  const seat: number | null | undefined = view.turn?.seat;
  const { play, game: after } = await game.play(placements, { ifMatch: game.etag, patience: 0 });
  const { seat: taken, token } = await game.join({ name: "Eve", age: null });
  await game.bid(3);
  await game.bid([tile], { idempotencyKey: "a-key-of-16-characters" });
  const picture: Blob = await game.boardPng({ theme: "dark" });
  const text: string = await game.boardSvg();
  await game.delete();
  const status: "waiting" | "bidding" | "playing" | "finished" = after.status;
  return play.points + taken + picture.size + text.length + token.length + status.length + (seat ?? 0);
}

export async function watch(signal: AbortSignal) {
  for await (const event of game.follow({ after: 3, signal, onConnection: console.log })) {
    const known: FollowedEvent = event;
    if (known.type === "resync") console.log(known.last);
    else if (known.type === "played") console.log(known.n, known.seat, known.points);
  }
}

export function explain(error: QwirkleError): string {
  if (error instanceof NoAnswer || error instanceof GameDeleted) return error.message;
  if (error instanceof Refused) return error.violations.map(({ code }) => code).join();
  if (error instanceof Conflict) return error.code === "not_your_turn" ? "wait" : error.detail;
  if (error instanceof ProblemError) return error.errors.map(({ pointer }) => pointer).join();
  return String(error.status);
}

// @ts-expect-error A tile is one of 36.
const noTile: Tile = "red-hat";
// @ts-expect-error A placement has a place.
const nowhere: Placement = { tile };
// @ts-expect-error Players have names.
void qwirkle.createGame({ players: [{ age: 9 }], noTile, nowhere });
// @ts-expect-error There is no such way to sort.
void game.legalPlays({ sort: "beauty" });
// @ts-expect-error A code that no problem has.
export const isOdd = (error: ProblemError) => error.code === "no_such_code";
