/**
 * The error for an answer that is not a success.
 * @param {number} status
 * @param {Partial<Problem>} problem
 * @param {number | null} retryAfter
 */
export function problemError(status: number, problem: Partial<Problem>, retryAfter: number | null): ProblemError;
/** The root of all errors of this package. */
export class QwirkleError extends Error {
    /** The HTTP status, if there was an answer. @type {number | null} */
    status: number | null;
    /** After how many milliseconds to call again, if the answer says so. @type {number | null} */
    retryAfter: number | null;
    /** How often the request was sent. */
    attempts: number;
    /** Whether the same request may succeed later. */
    get transient(): boolean;
}
/**
 * The service could not be reached, or its answer was lost; `cause` has the details. The request
 * may have taken effect all the same.
 */
export class NoAnswer extends QwirkleError {
    name: "NoAnswer";
}
/** A success, but not one of a Qwirkle service: another server, or a proxy in between. */
export class UnexpectedAnswer extends QwirkleError {
    name: "UnexpectedAnswer";
}
/** The game that is being followed was deleted. */
export class GameDeleted extends QwirkleError {
    name: "GameDeleted";
}
/**
 * The service refused a request. Programs should rely on `code`; `detail`, which is the message
 * too, is for people. A refusal by a proxy has an empty `code`.
 */
export class ProblemError extends QwirkleError {
    /**
     * @param {number} status
     * @param {Partial<Problem>} problem
     * @param {number | null} retryAfter
     */
    constructor(status: number, problem: Partial<Problem>, retryAfter: number | null);
    /** The HTTP status. @type {number} */
    status: number;
    /** @type {ProblemCode | ""} */
    code: ProblemCode | "";
    /** What the code means in general. */
    title: string;
    /** What is wrong, for people. */
    detail: string;
    /** Every fault of a malformed request; empty for other problems. @type {FieldError[]} */
    errors: FieldError[];
    /** Every broken rule of the game; empty for other problems. @type {Violation[]} */
    violations: Violation[];
    /** Names the request in the service's log. */
    requestId: string;
    /** The whole document. @type {Partial<Problem>} */
    problem: Partial<Problem>;
}
/** 400, 413 or 415: the service does not understand the request; see `errors`. */
export class MalformedRequest extends ProblemError {
    name: "MalformedRequest";
}
/** 401: the token is missing or not valid. */
export class TokenRefused extends ProblemError {
    name: "TokenRefused";
}
/** 403: not for the holder of this token. */
export class Forbidden extends ProblemError {
    name: "Forbidden";
}
/** 404: there is no such game, or no such path. */
export class NotFound extends ProblemError {
    name: "NotFound";
}
/** 409: not now, for example because it is somebody else's turn. */
export class Conflict extends ProblemError {
    name: "Conflict";
}
/** 412: the game has changed since the answer that `ifMatch` is from. */
export class StaleVersion extends ProblemError {
    name: "StaleVersion";
}
/** 422: the rules do not allow it; see `violations`. */
export class Refused extends ProblemError {
    name: "Refused";
}
/** 429: too many requests; see `retryAfter`. */
export class RateLimited extends ProblemError {
    name: "RateLimited";
}
/** 500 and above: the service, its store or a proxy is in trouble. */
export class ServiceUnavailable extends ProblemError {
    name: "ServiceUnavailable";
}
import type { Problem } from "../types/contract.d.ts";
import type { ProblemCode } from "../types/contract.d.ts";
import type { FieldError } from "../types/contract.d.ts";
import type { Violation } from "../types/contract.d.ts";
