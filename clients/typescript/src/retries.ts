// Whether and when a failed call is tried again, within its deadline.

import { Code, ConnectError, type Interceptor, type StreamResponse } from "@connectrpc/connect";
import { CallError, isAway } from "./errors.ts";
import { collected, each, sleep } from "./streams.ts";

const BUSY = [100, 200, 400]; // milliseconds between the attempts of a rejected call, if the server names none
const AWAY = [50, 100, 200]; // the same if no server answers; the last one is repeated until the deadline
const BROKEN = [50, 100, 200, 400, 800, 1600]; // the same if the connection broke in a way that could also be a bug
const UNANSWERED = 2; // attempts without an answer after which the browser may be the reason
const JITTER = 0.2; // random variation of pauses, so that callers that failed together do not return together
const PUSHBACK = "grpc-retry-pushback-ms";
const TIMEOUT = "connect-timeout-ms";

/**
 * Try a call again while that may help, a stream until its first message.
 *
 * @param whyBlocked why the browser keeps the page from the server; it is asked after two attempts without an answer.
 */
export const retrying =
  (whyBlocked: () => Promise<string | undefined>): Interceptor =>
  (next) =>
  async (request) => {
    const tries = new Tries(request.header, request.signal);
    const asked = request.stream ? await collected(request.message) : [];
    for (;;) {
      try {
        const again = request.stream ? { ...request, message: each(asked) } : request;
        const answer = await next(again as typeof request);
        return answer.stream ? await begun(answer) : answer;
      } catch (error) {
        await tries.pause(error);
        const why = tries.unanswered === UNANSWERED ? await whyBlocked() : undefined;
        if (why !== undefined) throw CallError.blocked(why, error);
      }
    }
  };

/** The attempts of one call. */
class Tries {
  readonly #header: Headers;
  readonly #signal: AbortSignal;
  readonly #deadline: number;
  /** Attempts that nothing answered. */
  unanswered = 0;
  #busy = 0;
  #away = 0;
  #broken = 0;

  constructor(header: Headers, signal: AbortSignal) {
    this.#header = header;
    this.#signal = signal;
    const timeout = header.get(TIMEOUT);
    this.#deadline = timeout === null ? Number.POSITIVE_INFINITY : performance.now() + Number(timeout);
  }

  /** Wait for the next attempt. Throws the error if there is none. */
  async pause(error: unknown): Promise<void> {
    const wished = this.#signal.aborted ? undefined : this.#pause(error);
    const pause = wished === undefined ? undefined : told(error, wished);
    const left = this.#deadline - performance.now();
    if (pause === undefined || pause >= left) throw error;
    await sleep(pause, this.#signal);
    if (left < Number.POSITIVE_INFINITY) this.#header.set(TIMEOUT, String(Math.ceil(left - pause)));
  }

  /** Our own choice of a pause; undefined if another attempt would be pointless. */
  #pause(error: unknown): number | undefined {
    const { code, reason } = CallError.from(error);
    if (isAway(error)) this.unanswered++;
    if (code === Code.ResourceExhausted) return BUSY[this.#busy++];
    if (isAway(error) || code === Code.Unavailable || code === Code.Canceled) return AWAY[this.#away++] ?? AWAY.at(-1);
    if (reason === "" && (code === Code.Internal || code === Code.Unknown)) return BROKEN[this.#broken++];
    return undefined;
  }
}

/** The pause that the server asks for, undefined if it forbids another attempt; by default about the given one. */
function told(error: unknown, wished: number): number | undefined {
  const pushback = error instanceof ConnectError ? error.metadata.get(PUSHBACK) : null;
  if (pushback !== null) return Number(pushback) >= 0 ? Number(pushback) : undefined;
  const spread = 2 * JITTER * Math.random();
  const asked = CallError.from(error).retryAfter;
  return asked === undefined ? wished * (1 - JITTER + spread) : asked * (1 + spread);
}

/** A stream whose first message has arrived. */
async function begun(answer: StreamResponse): Promise<StreamResponse> {
  const messages = answer.message[Symbol.asyncIterator]();
  const first = await messages.next();
  return { ...answer, message: rejoined(first, messages) } as StreamResponse;
}

async function* rejoined<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}
