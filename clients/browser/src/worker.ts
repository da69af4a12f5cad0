// The worker: makes the engine of one game, and answers one question after the other.

import { Core, type Parts } from "./core.ts";
import { type Question, type Recommendation, search } from "./search.ts";
import { nextTask, serve } from "./threads.ts";

/** A message to a worker. */
export type Order = { parts: Parts } | { id: number; question: Question } | { stop: number };

/** A message from a worker. */
export type Report =
  | { id: number; update: Recommendation }
  | { id: number; result: Recommendation }
  | { id: number; error: string };

type Post = (report: Report) => void;

let core: Core | undefined;
let last: Promise<void> = Promise.resolve();
const stopped = new Set<number>();

serve((order: Order, post: Post) => {
  if ("parts" in order) core = new Core(order.parts);
  else if ("stop" in order) stopped.add(order.stop);
  else last = last.then(() => answer(order.id, order.question, post));
});

async function answer(id: number, question: Question, post: Post): Promise<void> {
  const between = async () => {
    await nextTask();
    return stopped.has(id);
  };
  try {
    if (core === undefined) throw new Error("the worker has no engine");
    const update = (found: Recommendation) => post({ id, update: found });
    post({ id, result: await search(core, question, between, update) });
  } catch (error) {
    post({ id, error: String(error) });
  }
  stopped.delete(id);
}
