// How a call can fail.

/** @import { FieldError, Problem, ProblemCode, Violation } from "../types/contract.d.ts" */

const RETRIED = [429, 500, 502, 503, 504];

/** The root of all errors of this package. */
export class QwirkleError extends Error {
  name = "QwirkleError";
  /** The HTTP status, if there was an answer. @type {number | null} */
  status = null;
  /** After how many milliseconds to call again, if the answer says so. @type {number | null} */
  retryAfter = null;
  /** How often the request was sent. */
  attempts = 1;

  /** Whether the same request may succeed later. */
  get transient() {
    return false;
  }
}

/**
 * The service could not be reached, or its answer was lost; `cause` has the details. The request
 * may have taken effect all the same.
 */
export class NoAnswer extends QwirkleError {
  name = /** @type {const} */ ("NoAnswer");

  get transient() {
    return true;
  }
}

/** A success, but not one of a Qwirkle service: another server, or a proxy in between. */
export class UnexpectedAnswer extends QwirkleError {
  name = /** @type {const} */ ("UnexpectedAnswer");
}

/** The game that is being followed was deleted. */
export class GameDeleted extends QwirkleError {
  name = /** @type {const} */ ("GameDeleted");
}

/**
 * The service refused a request. Programs should rely on `code`; `detail`, which is the message
 * too, is for people. A refusal by a proxy has an empty `code`.
 */
export class ProblemError extends QwirkleError {
  name = "ProblemError";
  /** The HTTP status. @type {number} */
  status;

  /**
   * @param {number} status
   * @param {Partial<Problem>} problem
   * @param {number | null} retryAfter
   */
  constructor(status, problem, retryAfter) {
    super(text(problem.detail) || `The service answered with HTTP ${status}`);
    this.status = status;
    this.retryAfter = retryAfter;
    /** @type {ProblemCode | ""} */
    this.code = /** @type {ProblemCode | ""} */ (text(problem.code));
    /** What the code means in general. */
    this.title = text(problem.title);
    /** What is wrong, for people. */
    this.detail = this.message;
    /** Every fault of a malformed request; empty for other problems. @type {FieldError[]} */
    this.errors = objects(problem.errors);
    /** Every broken rule of the game; empty for other problems. @type {Violation[]} */
    this.violations = objects(problem.violations);
    /** Names the request in the service's log. */
    this.requestId = text(problem.request_id);
    /** The whole document. @type {Partial<Problem>} */
    this.problem = problem;
  }

  get transient() {
    return RETRIED.includes(this.status) || this.code === "request_in_flight";
  }
}

/** @param {unknown} value */
function text(value) {
  return typeof value === "string" ? value : "";
}

/**
 * @param {unknown} value
 * @returns {any[]}
 */
function objects(value) {
  return Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];
}

/** 400, 413 or 415: the service does not understand the request; see `errors`. */
export class MalformedRequest extends ProblemError {
  name = /** @type {const} */ ("MalformedRequest");
}

/** 401: the token is missing or not valid. */
export class TokenRefused extends ProblemError {
  name = /** @type {const} */ ("TokenRefused");
}

/** 403: not for the holder of this token. */
export class Forbidden extends ProblemError {
  name = /** @type {const} */ ("Forbidden");
}

/** 404: there is no such game, or no such path. */
export class NotFound extends ProblemError {
  name = /** @type {const} */ ("NotFound");
}

/** 409: not now, for example because it is somebody else's turn. */
export class Conflict extends ProblemError {
  name = /** @type {const} */ ("Conflict");
}

/** 412: the game has changed since the answer that `ifMatch` is from. */
export class StaleVersion extends ProblemError {
  name = /** @type {const} */ ("StaleVersion");
}

/** 422: the rules do not allow it; see `violations`. */
export class Refused extends ProblemError {
  name = /** @type {const} */ ("Refused");
}

/** 429: too many requests; see `retryAfter`. */
export class RateLimited extends ProblemError {
  name = /** @type {const} */ ("RateLimited");
}

/** 500 and above: the service, its store or a proxy is in trouble. */
export class ServiceUnavailable extends ProblemError {
  name = /** @type {const} */ ("ServiceUnavailable");
}

/** @type {Record<number, typeof ProblemError>} */
const KINDS = {
  400: MalformedRequest,
  401: TokenRefused,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  412: StaleVersion,
  413: MalformedRequest,
  415: MalformedRequest,
  422: Refused,
  429: RateLimited,
};

/**
 * The error for an answer that is not a success.
 * @param {number} status
 * @param {Partial<Problem>} problem
 * @param {number | null} retryAfter
 */
export function problemError(status, problem, retryAfter) {
  const Kind = KINDS[status] ?? (status >= 500 ? ServiceUnavailable : ProblemError);
  return new Kind(status, problem, retryAfter);
}
