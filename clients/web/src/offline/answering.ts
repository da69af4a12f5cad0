// The page's side of the worker: `fetch` for the calls of the service, which the worker answers instead of a server.

export interface Call {
  id: number;
  url: string;
  headers: [string, string][];
  body: BodyInit;
}

/** The end of the interest in a call. */
export interface Stop {
  stop: number;
}

/** The head of an answer, a part of its body, or its end with an error if any. */
export type Reply =
  | { id: number; status: number; headers: [string, string][] }
  | { id: number; chunk: Uint8Array }
  | { id: number; end: string };

interface Open {
  begin(answer: Response): void;
  fail(error: Error): void;
  body?: ReadableStreamDefaultController<Uint8Array>;
}

/** A `fetch` that the worker at an address answers. */
export function fetchFrom(address: string): typeof fetch {
  const worker = new Worker(address, { type: "module" });
  const open = new Map<number, Open>();
  let calls = 0;
  worker.onmessage = ({ data }: MessageEvent<Reply>) => hear(open, data);
  worker.onerror = ({ message }) => {
    for (const one of open.values()) fail(one, new TypeError(message));
    open.clear();
  };
  return (input, { headers, body, signal } = {}) => {
    const id = ++calls;
    return new Promise((begin, reject) => {
      const stop = () => {
        worker.postMessage({ stop: id } satisfies Stop);
        fail(one, new DOMException("The call was cancelled", "AbortError"));
        open.delete(id);
      };
      const one: Open = { begin, fail: reject };
      open.set(id, one);
      signal?.addEventListener("abort", stop);
      if (signal?.aborted) return stop();
      const call = { id, url: String(input), headers: [...new Headers(headers)], body: body ?? "" };
      return worker.postMessage(call satisfies Call);
    });
  };
}

function hear(open: Map<number, Open>, reply: Reply): void {
  const one = open.get(reply.id);
  if (!one) return;
  if ("chunk" in reply) one.body?.enqueue(reply.chunk);
  else if ("status" in reply) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        one.body = controller;
      },
    });
    one.begin(new Response(body, reply));
  } else {
    open.delete(reply.id);
    if (reply.end) fail(one, new TypeError(reply.end));
    else one.body?.close();
  }
}

function fail(one: Open, error: Error): void {
  one.fail(error);
  one.body?.error(error);
}
