// Names for the types of the contract, which `openapi.d.ts` has under their paths.

import type { components, operations } from "./openapi.d.ts";

type Schemas = components["schemas"];
type Json<T> = T extends { content: { "application/json": infer Content } } ? Content : never;
type Responses<Name extends keyof operations> = operations[Name]["responses"];

/** What an operation answers. */
export type Answer<Name extends keyof operations> = {
  [Status in keyof Responses<Name>]: Status extends 200 | 201 ? Json<Responses<Name>[Status]> : never;
}[keyof Responses<Name>];

/** What is sent with an operation. */
export type Body<Name extends keyof operations> = Json<NonNullable<operations[Name]["requestBody"]>>;

/** What may be asked for with an operation. */
export type Query<Name extends keyof operations> = NonNullable<
  operations[Name]["parameters"]["query"]
>;

export type Tile = Schemas["Tile"];
export type Placement = Schemas["Placement"];
export type Game = Schemas["Game"];
export type GameEvent = Answer<"getEvents">["events"][number];
export type Problem = Schemas["Problem"];
export type ProblemCode = Schemas["ProblemCode"];
export type Violation = Schemas["Violation"];
export type FieldError = Schemas["FieldError"];

/** The store has lost events: what is known of the game no longer holds. */
export type ResyncEvent = { type: "resync"; last: number };

/** Somebody has asked for a rematch of the game that is over. */
export type RematchEvent = { type: "rematch" } & Schemas["RematchOffer"];

/** The events after the last one are no longer kept; what follows comes after the cursor `last`. */
export type FeedResyncEvent = { type: "resync"; last: string };

export type FeedEvent = Schemas["FeedEvent"];

/** What following a tenant's feed yields. */
export type FollowedFeedEvent = FeedEvent | FeedResyncEvent;

/** What following a game yields. */
export type FollowedEvent = GameEvent | ResyncEvent | RematchEvent;
