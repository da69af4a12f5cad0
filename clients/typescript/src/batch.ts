// Batches of queries where requests cannot be streamed, as in browsers: a call for each query, a few at a time.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { CallError } from "./errors.ts";
import {
  type BatchRecommendRequestSchema,
  type BatchRecommendResponse,
  BatchRecommendResponseSchema,
  type RecommendMoveRequestSchema,
  type RecommendMoveResponse,
} from "./gen/clerestory/v1/advisor_pb.ts";

const AT_ONCE = 4; // calls; the server shares its workers fairly between its callers, however many calls they make

type Query = MessageInitShape<typeof BatchRecommendRequestSchema>;
type Question = MessageInitShape<typeof RecommendMoveRequestSchema>;
type Ask = (question: Question, signal: AbortSignal) => Promise<RecommendMoveResponse>;

/** The answers to queries, each as soon as it is ready; leaving the loop ends the calls under way. */
export async function* batch(queries: AsyncIterable<Query>, ask: Ask): AsyncGenerator<BatchRecommendResponse> {
  const left = new AbortController();
  const source = queries[Symbol.asyncIterator]();
  const ready: BatchRecommendResponse[] = [];
  let wake = () => {};
  const work = async () => {
    for (let next = await source.next(); !next.done && !left.signal.aborted; next = await source.next()) {
      ready.push(await answered(next.value, ask, left.signal));
      wake();
    }
  };
  let working = true;
  const done = Promise.all(Array.from({ length: AT_ONCE }, work)).finally(() => {
    working = false;
    wake();
  });
  done.catch(() => undefined); // thrown below, after the answers that are ready
  try {
    while (working || ready.length) {
      const answer = ready.shift();
      if (answer) yield answer;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await done;
  } finally {
    left.abort();
  }
}

async function answered(query: Query, ask: Ask, signal: AbortSignal): Promise<BatchRecommendResponse> {
  const number = query.number ?? 0;
  try {
    const value = await ask(query.question ?? {}, signal);
    return create(BatchRecommendResponseSchema, { number, result: { case: "recommendation", value } });
  } catch (caught) {
    const { code, reason, message, violations, retryAfter } = CallError.from(caught);
    const later = retryAfter === undefined ? {} : { retryDelay: durationFromMs(retryAfter) };
    const value = { code, reason, message, violations: [...violations], ...later };
    return create(BatchRecommendResponseSchema, { number, result: { case: "error", value } });
  }
}
