// Failed calls: one error with what the server says for programs and for people.

import { Code, ConnectError } from "@connectrpc/connect";
import { brokenBy } from "./blocked.ts";
import { callFault } from "./connection.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  LocalizedMessageSchema,
  PreconditionFailureSchema,
  RetryInfoSchema,
} from "./gen/google/rpc/error_details_pb.ts";

/** What a caller can do about an error: put the request right, ask at another time, wait, and so on. */
export type Kind =
  | "bad-request" // a field is invalid; `violations` says which
  | "not-now" // valid, but not at this point of the game
  | "busy" // the server is full
  | "out-of-time" // the deadline came before the answer
  | "denied" // the server does not accept the caller, or does not allow the call
  | "unsupported" // the server does not have this method
  | "unavailable" // no server answers there, or it is shutting down
  | "blocked" // a server answers there, but the browser gives its answers to no page of this origin
  | "cancelled" // by the caller's own signal, or by a server that shuts down
  | "failed"; // anything else

const KINDS: Partial<Record<Code, Kind>> = {
  [Code.InvalidArgument]: "bad-request",
  [Code.NotFound]: "bad-request",
  [Code.FailedPrecondition]: "not-now",
  [Code.Aborted]: "not-now",
  [Code.ResourceExhausted]: "busy",
  [Code.DeadlineExceeded]: "out-of-time",
  [Code.Unauthenticated]: "denied",
  [Code.PermissionDenied]: "denied",
  [Code.Unimplemented]: "unsupported",
  [Code.Unavailable]: "unavailable",
  [Code.Canceled]: "cancelled",
};

/** A fault of a request: the path of the field, and what is wrong there. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** A call failed. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** The code of the protocol. */
  readonly code: Code;
  readonly kind: Kind;
  /** What happened, for programs: one of the reasons in docs/reference.md; empty if the server gave none. */
  readonly reason: string;
  /** Details of the reason: for STALE_VERSION, `version`, the current one. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  /** Milliseconds that the server asks to wait before another try; undefined if it said nothing. */
  readonly retryAfter: number | undefined;
  /** The message for people in the language of the call, with the tag of that language. */
  readonly told: { readonly locale: string; readonly message: string } | undefined;

  private constructor(found: ConnectError, kind: Kind) {
    super(brokenBy(found.cause) || found.rawMessage, { cause: found });
    const [info] = found.findDetails(ErrorInfoSchema);
    const delay = found.findDetails(RetryInfoSchema)[0]?.retryDelay;
    this.code = found.code;
    this.kind = kind;
    this.reason = info?.reason ?? "";
    this.metadata = info?.metadata ?? {};
    const untimely = found.findDetails(PreconditionFailureSchema).flatMap((one) => one.violations);
    this.violations = [
      ...found.findDetails(BadRequestSchema).flatMap((one) => one.fieldViolations),
      ...untimely.map(({ subject, description }) => ({ field: subject, description })),
    ];
    this.retryAfter = delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6;
    this.told = found.findDetails(LocalizedMessageSchema)[0];
  }

  /** Anything that was caught, as an error of a call. */
  static from(error: unknown): CallError {
    if (error instanceof CallError) return error;
    const found = ConnectError.from(error);
    if (found.cause instanceof CallError) return found.cause; // thrown by an interceptor, and wrapped by the library
    return new CallError(found, isAway(error) ? "unavailable" : (KINDS[found.code] ?? "failed"));
  }

  /** The error of a call that the browser blocks. */
  static blocked(message: string, cause: unknown): CallError {
    return new CallError(new ConnectError(message, Code.PermissionDenied, undefined, undefined, cause), "blocked");
  }

  /** Whether the same call may succeed later: the connection is broken, or the server is shutting down. */
  get passing(): boolean {
    const passing = [Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Canceled];
    return passing.includes(this.code) || this.#reset;
  }

  /** An answer broke off, as where a proxy loses its server: an error of the server itself has a reason. */
  get #reset(): boolean {
    const cut = this.code === Code.InvalidArgument && this.message.startsWith("protocol error");
    return this.reason === "" && (cut || this.code === Code.Internal);
  }
}

/** Throws CallError for an argument of a call that cannot be used. */
export function checkCall(signal: unknown, timeoutMs: unknown): void {
  const fault = callFault(signal, timeoutMs);
  if (fault) throw CallError.from(badRequest(fault.join(": "), ...fault));
}

/** The error of a request that is not sent. */
export function badRequest(message: string, field: string, description: string): ConnectError {
  const details = [{ desc: BadRequestSchema, value: { fieldViolations: [{ field, description }] } }];
  return new ConnectError(message, Code.InvalidArgument, undefined, details);
}

/** Whether nothing was answered at all: what `fetch` throws is no error of the protocol. */
export function isAway(error: unknown): boolean {
  const aborted = error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name);
  if (error instanceof CallError || aborted) return false;
  return !(error instanceof ConnectError) || (error.code === Code.Unknown && error.cause instanceof Error);
}
