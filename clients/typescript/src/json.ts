/**
 * A small client without the protobuf library: calls in JSON, over the Connect protocol, with types from proto/.
 *
 * @module @clerestory/client/json
 */

import type { DescMethod, DescService, MessageJsonType } from "@bufbuild/protobuf";
import { brokenBy, whyBlocked } from "./blocked.ts";
import { callFault, connection, type JsonSettings, LONGEST_TIMER } from "./connection.ts";
import type { FieldViolation, Kind } from "./errors.ts";
import type { AdvisorService } from "./gen/clerestory/v1/advisor_pb.ts";
import type { AnnotationService } from "./gen/clerestory/v1/annotation_pb.ts";
import type { GameService } from "./gen/clerestory/v1/games_pb.ts";
import type { LessonService } from "./gen/clerestory/v1/lessons_pb.ts";
import type { PuzzleService } from "./gen/clerestory/v1/puzzle_pb.ts";
import type { RulesService } from "./gen/clerestory/v1/rules_pb.ts";

const STREAMS = ["Analyze", "AnnotateGame", "WatchGame"];
const SLACK = 5000; // milliseconds a call may take beyond the time that its request asks for
const LONGEST = 600_000; // milliseconds of a request that is limited by iterations only
const PAUSES = [100, 200, 400]; // milliseconds between the attempts of a call, if the server names none
const END = 2; // flag of the envelope that ends a stream
const HEAD = 5; // bytes of the head of an envelope: flags, and the length of what follows
const PASSING = ["resource_exhausted", "unavailable"]; // codes of errors after which a call is tried again
const KINDS: Record<string, Kind> = {
  invalid_argument: "bad-request",
  not_found: "bad-request",
  failed_precondition: "not-now",
  aborted: "not-now",
  resource_exhausted: "busy",
  deadline_exceeded: "out-of-time",
  unauthenticated: "denied",
  permission_denied: "denied",
  unimplemented: "unsupported",
  unavailable: "unavailable",
  canceled: "cancelled",
};

export type { JsonSettings };

/** How one call is made; all of it may be left out. */
export interface JsonCallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds the call may take; by default the time of its request and 5 seconds, and without limit for streams. */
  timeoutMs?: number | undefined;
}

type Call<M extends DescMethod> = M["methodKind"] extends "unary"
  ? (request: MessageJsonType<M["input"]>, options?: JsonCallOptions) => Promise<MessageJsonType<M["output"]>>
  : (request: MessageJsonType<M["input"]>, options?: JsonCallOptions) => AsyncGenerator<MessageJsonType<M["output"]>>;

/** The methods of a service: those with one answer return a promise, the others an async generator. */
export type JsonService<S extends DescService> = {
  [K in keyof S["method"] as S["method"][K] extends { methodKind: "bidi_streaming" } ? never : K]: Call<S["method"][K]>;
};

interface Detail {
  type?: string;
  debug?: Record<string, unknown>;
}

/** A call failed; the same as a CallError of the other client. */
export class JsonCallError extends Error {
  override readonly name = "JsonCallError";
  /** Code of the protocol: `invalid_argument`. */
  readonly code: string;
  readonly kind: Kind;
  /** What happened, for programs: one of the reasons in docs/reference.md; empty if the server gave none. */
  readonly reason: string;
  readonly violations: readonly FieldViolation[];
  /** Milliseconds that the server asks to wait before another try; undefined if it said nothing. */
  readonly retryAfter: number | undefined;

  constructor(message: string, code: string, details: Detail[] = [], kind: Kind = KINDS[code] ?? "failed") {
    super(message);
    const found = (name: string) => details.find((one) => one.type === `google.rpc.${name}`)?.debug;
    this.code = code;
    this.kind = kind;
    this.reason = String(found("ErrorInfo")?.reason ?? "");
    const untimely = (found("PreconditionFailure")?.violations ?? []) as { subject: string; description: string }[];
    this.violations = [
      ...((found("BadRequest")?.fieldViolations ?? []) as FieldViolation[]),
      ...untimely.map(({ subject, description }) => ({ field: subject, description })),
    ];
    const delay = found("RetryInfo")?.retryDelay;
    this.retryAfter = delay === undefined ? undefined : inMilliseconds(String(delay));
  }
}

/** A server: its services with all their methods, except those that take a stream. Messages are plain JSON. */
export class JsonClient {
  readonly advisor = this.#service<typeof AdvisorService>("AdvisorService");
  readonly annotation = this.#service<typeof AnnotationService>("AnnotationService");
  readonly rules = this.#service<typeof RulesService>("RulesService");
  readonly games = this.#service<typeof GameService>("GameService");
  readonly puzzles = this.#service<typeof PuzzleService>("PuzzleService");
  readonly lessons = this.#service<typeof LessonService>("LessonService");
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof globalThis.fetch | undefined;

  /** `address` is where the server's gateway for browsers is: `http://127.0.0.1:8080`. Throws TypeError. */
  constructor(address: string, settings: JsonSettings = {}) {
    const { base, headers } = connection(address, settings);
    this.#base = base;
    this.#headers = headers;
    this.#fetch = settings.fetch;
  }

  #service<S extends DescService>(service: string): JsonService<S> {
    const get = (_: object, name: string | symbol) => {
      if (typeof name === "symbol" || name === "then") return undefined; // a service is no promise
      const method = name.charAt(0).toUpperCase() + name.slice(1);
      const path = `/clerestory.v1.${service}/${method}`;
      return STREAMS.includes(method)
        ? (request: object, options?: JsonCallOptions) => this.#stream(path, request, options)
        : (request: object, options?: JsonCallOptions) => this.#unary(path, request, options);
    };
    return new Proxy({}, { get }) as JsonService<S>;
  }

  async #unary(path: string, request: object, options?: JsonCallOptions): Promise<unknown> {
    const { signal, timeoutMs = SLACK + timeOf(request) } = checked(options);
    const answer = await this.#send(path, "application/json", written(request), signal, timeoutMs);
    return inCamelCase(await answer.json());
  }

  async *#stream(path: string, request: object, options?: JsonCallOptions): AsyncGenerator<unknown> {
    const left = new AbortController();
    const { signal, timeoutMs } = checked(options);
    const ends = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
    try {
      const body = enveloped(written(request));
      const answer = await this.#send(path, "application/connect+json", body, ends, timeoutMs);
      for await (const [flags, text] of envelopes(answer.body)) {
        const message = JSON.parse(text);
        if (!(flags & END)) yield inCamelCase(message);
        else if (message.error)
          throw new JsonCallError(message.error.message, message.error.code, message.error.details);
      }
    } finally {
      left.abort();
    }
  }

  /** The response to a request, which is sent again while that may help. Throws JsonCallError. */
  async #send(
    path: string,
    kind: string,
    body: BodyInit,
    signal: AbortSignal | undefined,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<Response> {
    const fetch = this.#fetch ?? globalThis.fetch;
    const limited = limit <= LONGEST_TIMER;
    const deadline = performance.now() + limit;
    const timeout = limited ? AbortSignal.timeout(Math.ceil(limit)) : undefined;
    const ends = [signal, timeout].filter((one) => one !== undefined);
    for (let attempt = 0; ; attempt++) {
      const headers = {
        "content-type": kind,
        "connect-protocol-version": "1",
        ...this.#headers,
        ...(limited && { "connect-timeout-ms": String(Math.max(1, Math.ceil(deadline - performance.now()))) }),
      };
      const asked = { method: "POST", headers, body, ...(ends.length && { signal: AbortSignal.any(ends) }) };
      const answer = await fetch(this.#base + path, asked).catch((error: unknown) => error);
      if (answer instanceof Response && answer.ok) return answer;
      if (signal?.aborted) throw new JsonCallError("the call was cancelled", "canceled");
      if (timeout?.aborted) throw new JsonCallError("the deadline came before the answer", "deadline_exceeded");
      const error = answer instanceof Response ? await errorOf(answer) : await this.#unanswered(answer);
      const pause = error.retryAfter ?? PAUSES[attempt];
      const again = PASSING.includes(error.code) && error.kind !== "blocked" && attempt < PAUSES.length;
      if (!again || pause === undefined || performance.now() + pause >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async #unanswered(cause: unknown): Promise<JsonCallError> {
    const why = await whyBlocked(this.#base, this.#fetch);
    if (why) return new JsonCallError(why, "permission_denied", [], "blocked");
    return new JsonCallError(brokenBy(cause) || String(cause), "unavailable");
  }
}

async function errorOf(answer: Response): Promise<JsonCallError> {
  const text = await answer.text();
  try {
    const { message = "", code, details } = JSON.parse(text);
    return new JsonCallError(message, code, details);
  } catch {
    return new JsonCallError(text.trim(), answer.status === 503 ? "unavailable" : "unknown");
  }
}

/** A message with its fields in camelCase, as they are typed; the server writes them as in position files. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (typeof value !== "object" || value === null) return value;
  const named = ([name, inner]: [string, unknown]) => [
    name.replace(/_+(.)/g, (_, next: string) => next.toUpperCase()),
    inCamelCase(inner),
  ];
  return Object.fromEntries(Object.entries(value).map(named));
}

/** Options of a call as they may be passed on. Throws JsonCallError. */
function checked(options?: JsonCallOptions): JsonCallOptions {
  const { signal, timeoutMs } = { ...options };
  const fault = callFault(signal, timeoutMs);
  if (fault) throw badRequest(...fault);
  return { signal, timeoutMs: timeoutMs ?? undefined };
}

/** A request as JSON, which would silently leave out numbers that are not finite. Throws JsonCallError. */
function written(request: object): string {
  return JSON.stringify(request ?? {}, (name, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw badRequest(name, `${value} is not a finite number`);
    return typeof value === "bigint" ? String(value) : value;
  });
}

/** The error of a request that is not sent. */
export function badRequest(field: string, description: string, reason = "UNREADABLE_REQUEST"): JsonCallError {
  return new JsonCallError(`${field}: ${description}`, "invalid_argument", [
    { type: "google.rpc.ErrorInfo", debug: { reason } },
    { type: "google.rpc.BadRequest", debug: { fieldViolations: [{ field, description }] } },
  ]);
}

/** Milliseconds that a request asks for; 0 if it asks for none. */
function timeOf(request: object): number {
  const { timeBudget, iterations } = { ...request } as { timeBudget?: string; iterations?: unknown };
  if (timeBudget !== undefined) return Math.max(0, inMilliseconds(timeBudget));
  return iterations === undefined ? 0 : LONGEST;
}

/** The milliseconds of a duration in JSON: "0.5s". */
function inMilliseconds(duration: string): number {
  return Number.parseFloat(duration) * 1000 || 0;
}

function enveloped(text: string): Uint8Array<ArrayBuffer> {
  const data = new TextEncoder().encode(text);
  const whole = new Uint8Array(HEAD + data.length);
  new DataView(whole.buffer).setUint32(1, data.length);
  whole.set(data, HEAD);
  return whole;
}

/** The envelopes of a stream as they arrive: flags, and text. */
async function* envelopes(body: ReadableStream<Uint8Array> | null): AsyncGenerator<[number, string]> {
  const reader = body?.getReader();
  let rest = new Uint8Array();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const whole = new Uint8Array(rest.length + part.value.length);
    whole.set(rest);
    whole.set(part.value, rest.length);
    rest = whole;
    while (rest.length >= HEAD) {
      const size = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
      if (rest.length < HEAD + size) break;
      yield [rest[0] ?? 0, new TextDecoder().decode(rest.subarray(HEAD, HEAD + size))];
      rest = rest.slice(HEAD + size);
    }
  }
}
