// What the package offers.

export { Qwirkle } from "./client.js";
export {
  Conflict,
  Forbidden,
  GameDeleted,
  MalformedRequest,
  NoAnswer,
  NotFound,
  ProblemError,
  QwirkleError,
  RateLimited,
  Refused,
  ServiceUnavailable,
  StaleVersion,
  TokenRefused,
  UnexpectedAnswer,
} from "./errors.js";
export { GameClient } from "./game_client.js";
export { Outbox } from "./outbox.js";

/** @typedef {import("./client.js").ClientOptions} ClientOptions */
/** @typedef {import("./follow.js").Connection} Connection */
/** @typedef {import("./follow.js").FollowFeedOptions} FollowFeedOptions */
/** @typedef {import("./follow.js").FollowOptions} FollowOptions */
/** @typedef {import("./outbox.js").OutboxOptions} OutboxOptions */
/** @typedef {import("./outbox.js").PendingAction} PendingAction */
/** @typedef {import("./requests.js").ActionOptions} ActionOptions */
/** @typedef {import("./transport.js").SendOptions} SendOptions */
/** @typedef {import("../types/contract.d.ts").FieldError} FieldError */
/** @typedef {import("../types/contract.d.ts").FeedEvent} FeedEvent */
/** @typedef {import("../types/contract.d.ts").FeedResyncEvent} FeedResyncEvent */
/** @typedef {import("../types/contract.d.ts").FollowedEvent} FollowedEvent */
/** @typedef {import("../types/contract.d.ts").FollowedFeedEvent} FollowedFeedEvent */
/** @typedef {import("../types/contract.d.ts").RematchEvent} RematchEvent */
/** @typedef {import("../types/contract.d.ts").Game} Game */
/** @typedef {import("../types/contract.d.ts").GameEvent} GameEvent */
/** @typedef {import("../types/contract.d.ts").Placement} Placement */
/** @typedef {import("../types/contract.d.ts").Problem} Problem */
/** @typedef {import("../types/contract.d.ts").ProblemCode} ProblemCode */
/** @typedef {import("../types/contract.d.ts").ResyncEvent} ResyncEvent */
/** @typedef {import("../types/contract.d.ts").Tile} Tile */
/** @typedef {import("../types/contract.d.ts").Violation} Violation */
