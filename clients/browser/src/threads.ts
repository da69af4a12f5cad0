// Threads that search: web workers, and worker threads of Node, behind one small interface.

/** A page's end of the channel to its worker. */
export interface Port {
  post(message: unknown): void;
  listen(heard: (message: never) => void, failed: (error: Error) => void): void;
  /** Say whether answers are awaited: if not, Node may end the program. */
  await(any: boolean): void;
  close(): void;
}

interface NodeWorker {
  postMessage(message: unknown): void;
  on(event: string, heard: (message: never) => void): void;
  unref(): void;
  ref(): void;
  terminate(): Promise<number>;
}

const NODE_THREADS: string = "node:worker_threads"; // not written where it is imported: bundlers would look for it

/** Whether this is Node, which has no web workers. */
function inNode(): boolean {
  return typeof Worker === "undefined";
}

/** Start the worker of this package. */
export async function startWorker(): Promise<Port> {
  if (!inNode()) return webPort(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
  const threads = await import(NODE_THREADS);
  const worker: NodeWorker = new threads.Worker(new URL("./worker.js", import.meta.url), {
    execArgv: [], // those of the program may not fit a file, such as --input-type
  });
  return {
    post: (message) => worker.postMessage(message),
    listen: (heard, failed) => {
      worker.on("message", heard);
      worker.on("error", failed);
      worker.unref(); // listeners keep the program alive
    },
    await: (any) => (any ? worker.ref() : worker.unref()),
    close: () => void worker.terminate(),
  };
}

function webPort(worker: Worker): Port {
  return {
    post: (message) => worker.postMessage(message),
    listen: (heard, failed) => {
      worker.onmessage = ({ data }) => heard(data as never);
      worker.onerror = ({ message }) => failed(new Error(message));
    },
    await: () => undefined,
    close: () => worker.terminate(),
  };
}

/** In a worker: handle messages, and post answers. Web workers lose messages that arrive before a handler is set. */
export function serve(heard: (message: never, post: (message: unknown) => void) => void): void {
  const scope = globalThis as unknown as { onmessage: unknown; postMessage?(message: unknown): void };
  if (scope.postMessage) {
    scope.onmessage = ({ data }: MessageEvent) => heard(data as never, (message) => scope.postMessage?.(message));
    return;
  }
  void import(NODE_THREADS).then(({ parentPort }) => {
    parentPort.on("message", (message: never) => heard(message, (answer) => parentPort.postMessage(answer)));
  });
}

/** Let the messages that have arrived be heard. */
export function nextTask(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => void };
  return new Promise((resolve) => {
    if (setImmediate) return setImmediate(resolve); // Node; a channel would keep programs from ending
    const { port1, port2 } = new MessageChannel(); // without the least delay of timers
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
