// How calls reach a server: its address, token and language, their deadlines, and the errors they end with.

import { create, type DescMessage, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { batch } from "./batch.ts";
import { whyBlocked } from "./blocked.ts";
import { connection, isTime, type JsonSettings, LONGEST_TIMER, notTime } from "./connection.ts";
import { inMilliseconds } from "./durations.ts";
import { badRequest, CallError, checkCall } from "./errors.ts";
import { AdvisorService } from "./gen/clerestory/v1/advisor_pb.ts";
import { retrying } from "./retries.ts";
import { collected, each } from "./streams.ts";

const SLACK = 5000; // milliseconds a call may take beyond the time that its request asks for
const LONGEST = 600_000; // milliseconds of a request that is limited by iterations only
const LONGEST_REVIEW = 3_600_000; // the same of a review
const UNFIT = /field (?:\w+\.)+(\w+) to binary: (.*)/; // the library's error for a value that does not fit

/** How calls are made; all of it may be left out. */
export interface Settings extends JsonSettings {
  /** Whether a call that the server rejected or never received is retried, within its time; by default true. */
  retries?: boolean | undefined;
  /** Milliseconds a call may take beyond the time its request asks for; by default 5000, 0 for no deadlines. */
  slack?: number | undefined;
  /** Called around every call, the first one outermost, outside of the retries. */
  interceptors?: Interceptor[] | undefined;
}

/**
 * A transport for `createClient`: its calls have deadlines, are tried again, and fail with a CallError.
 *
 * Throws TypeError that names an unusable argument.
 */
export function openTransport(address: string, settings: Settings = {}): Transport {
  const { retries = true, slack = SLACK, interceptors = [], fetch } = settings;
  const { base: baseUrl, headers } = connection(address, settings);
  if (!isTime(slack)) throw new TypeError(`slack: ${notTime(slack)}`);
  const withHeaders: Interceptor = (next) => (request) => {
    for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
    return next(request);
  };
  const inner = createConnectTransport({
    baseUrl,
    useBinaryFormat: true,
    interceptors: [...interceptors, withHeaders, ...(retries ? [retrying(() => whyBlocked(baseUrl, fetch))] : [])],
    ...(fetch && { fetch }),
  });
  const unary = unaryOver(inner, slack);
  return { unary, stream: streamOver(inner, slack, unary) };
}

function unaryOver(inner: Transport, slack: number): Transport["unary"] {
  return async (method, signal, timeout, header, input, context) => {
    try {
      checkCall(signal, timeout);
      const limit = whole(timeout ?? within(slack, timeOf(input) ?? 0));
      return await inner.unary(method, signal, limit, header, fitted(method.input, input), context);
    } catch (error) {
      throw CallError.from(error);
    }
  };
}

function streamOver(inner: Transport, slack: number, unary: Transport["unary"]): Transport["stream"] {
  return async (method, signal, timeout, header, input, context) => {
    if (method.methodKind === "bidi_streaming") {
      const message = batch(input as Parameters<typeof batch>[0], async (question, left) => {
        const ends = signal ? AbortSignal.any([signal, left]) : left;
        const single = AdvisorService.method.recommendMove;
        return (await unary(single, ends, timeout, header, question, context)).message;
      });
      const rest = { service: method.parent, header: new Headers(), trailer: new Headers() };
      return { stream: true, method, message, ...rest } as never; // generic in the method's messages
    }
    const asked = await collected(input);
    const time = method.name === "AnnotateGame" ? reviewOf(asked[0]) : timeOf(asked[0]);
    const limit = whole(timeout ?? within(slack, time));
    try {
      const messages = asked.map((one) => fitted(method.input, one));
      const answer = await inner.stream(method, signal, limit, header, each(messages), context);
      return { ...answer, message: read(answer.message) };
    } catch (error) {
      throw CallError.from(error);
    }
  };
}

/**
 * The message of a request. Throws ConnectError for a value that does not fit into it.
 *
 * The library says so only in an attempt, and as it says that the server broke down, which is tried again.
 */
function fitted<M extends DescMessage>(kind: M, input: MessageInitShape<M>): MessageShape<M> {
  try {
    const message = create(kind, input);
    toBinary(kind, message);
    return message;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, field = "", description = message] = UNFIT.exec(message) ?? [];
    throw badRequest(message, field, description);
  }
}

async function* read<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw CallError.from(error);
  }
}

/** The time limit of a call, undefined for none; `time` is what its request asks for, undefined for any. */
function within(slack: number, time: number | undefined): number | undefined {
  return slack && time !== undefined ? time + slack : undefined;
}

/** A time limit that the protocol can express: whole milliseconds; undefined for one beyond every timer. */
function whole(limit: number | undefined): number | undefined {
  return limit === undefined || limit > LONGEST_TIMER ? undefined : Math.ceil(limit);
}

/** Milliseconds that a request asks for, undefined if it asks for none. */
function timeOf(input: unknown): number | undefined {
  const asked = input as { question?: unknown; timeBudget?: Partial<Duration>; iterations?: unknown };
  if (asked.question) return timeOf(asked.question);
  if (asked.timeBudget) return inMilliseconds(asked.timeBudget);
  return asked.iterations ? LONGEST : undefined;
}

/** Milliseconds that a review may take: twice the times it asks for, as its searches wait for others. */
function reviewOf(input: unknown): number {
  const { timeBudget, deepBudget = {} } = input as { timeBudget?: Partial<Duration>; deepBudget?: Partial<Duration> };
  const time = timeBudget ? 2 * inMilliseconds(timeBudget) : LONGEST_REVIEW;
  return time + 2 * inMilliseconds(deepBudget);
}
