// Where searches run: in a worker, or in this thread.

import { Core, type Parts } from "./core.ts";
import { EngineError } from "./errors.ts";
import { type Question, type Recommendation, search } from "./search.ts";
import { nextTask, type Port, startWorker } from "./threads.ts";
import type { Report } from "./worker.ts";

const CLOSED = "the engine was closed";

type Update = (recommendation: Recommendation) => void;

/** Answers questions one after the other. */
export interface Searcher {
  /** Search until a limit, or until the signal aborts; then the result is what was found until then. */
  ask(question: Question, update: Update, signal: AbortSignal | undefined): Promise<Recommendation>;
  /** Fail the questions that are not answered yet, and all later ones. */
  close(): void;
}

/** Return a searcher in this thread, which lets other tasks run every few milliseconds. */
export function inThisThread(parts: Parts): Searcher {
  const core = new Core(parts);
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  const requireOpen = () => {
    if (closed) throw new EngineError(CLOSED);
  };
  return {
    async ask(question, update, signal) {
      requireOpen();
      const between = async () => {
        await nextTask();
        requireOpen();
        return !!signal?.aborted;
      };
      const answer = last.then(() => search(core, question, between, update));
      last = answer.catch(() => undefined);
      return answer;
    },
    close() {
      closed = true;
    },
  };
}

interface Asked {
  readonly update: Update;
  readonly resolve: Update;
  readonly reject: (error: unknown) => void;
}

/** Return a searcher in a worker. */
export async function inWorker(parts: Parts): Promise<Searcher> {
  const port = await startWorker();
  const asked = new Map<number, Asked>();
  let failed: Error | undefined;
  const fail = (error: Error) => {
    failed ??= error;
    for (const { reject } of asked.values()) reject(error);
    asked.clear();
    port.await(false);
  };
  const heard = (report: Report) => {
    hear(port, asked, report);
    port.await(asked.size > 0);
  };
  port.listen(heard, fail);
  port.post({ parts });
  let id = 0;
  return {
    async ask(question, update, signal) {
      if (failed) throw failed;
      return ask(port, asked, ++id, question, update, signal);
    },
    close() {
      port.close();
      fail(new EngineError(CLOSED));
    },
  };
}

function ask(
  port: Port,
  asked: Map<number, Asked>,
  id: number,
  question: Question,
  update: Update,
  signal: AbortSignal | undefined,
): Promise<Recommendation> {
  const stop = () => port.post({ stop: id });
  signal?.addEventListener("abort", stop, { once: true });
  return new Promise<Recommendation>((resolve, reject) => {
    asked.set(id, { update, resolve, reject });
    port.await(true);
    port.post({ id, question });
    if (signal?.aborted) stop();
  }).finally(() => signal?.removeEventListener("abort", stop));
}

function hear(port: Port, asked: Map<number, Asked>, report: Report): void {
  const question = asked.get(report.id);
  if ("update" in report) {
    try {
      question?.update(report.update);
    } catch (error) {
      asked.delete(report.id);
      port.post({ stop: report.id });
      question?.reject(error);
    }
    return;
  }
  asked.delete(report.id);
  if ("result" in report) question?.resolve(report.result);
  else question?.reject(new EngineError(report.error));
}
