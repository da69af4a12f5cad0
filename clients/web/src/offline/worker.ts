// The worker that answers the page's calls: it holds the games with their secrets, and the engine.

import { Engine } from "@clerestory/engine";
import { createConnectRouter } from "@connectrpc/connect";
import { createFetchHandler } from "@connectrpc/connect/protocol";
import type { Call, Reply, Stop } from "./answering.ts";
import { servicesOf } from "./services.ts";
import { inBrowser } from "./store.ts";

const DATA = new URL("../data/", import.meta.url);

const scope = globalThis as unknown as {
  postMessage(reply: Reply, transferred?: Transferable[]): void;
  onmessage: (event: MessageEvent<Call | Stop>) => void;
};
const channel = new BroadcastChannel("games");
const stops = new Map<number, AbortController>();

const handlers = inBrowser().then((store) => {
  const { routes, changed } = servicesOf({
    store,
    load: (game) => Engine.load(game),
    read,
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
    now: Date.now,
    announce: (id) => channel.postMessage(id),
  });
  channel.onmessage = ({ data }: MessageEvent<string>) => changed(data);
  const router = createConnectRouter({ grpc: false, grpcWeb: false });
  routes(router);
  return new Map(router.handlers.map((one) => [one.requestPath, createFetchHandler(one)]));
});

async function read(name: string): Promise<Uint8Array> {
  const answer = await fetch(new URL(name, DATA));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

scope.onmessage = ({ data }) => {
  if ("stop" in data) stops.get(data.stop)?.abort();
  else void answer(data);
};

async function answer({ id, url, headers, body }: Call): Promise<void> {
  const stop = new AbortController();
  stops.set(id, stop);
  try {
    const { pathname } = new URL(url);
    const handle = (await handlers).get(pathname.slice(pathname.lastIndexOf("/", pathname.lastIndexOf("/") - 1)));
    const request = new Request(url, { method: "POST", headers, signal: stop.signal });
    Object.defineProperty(request, "body", { value: new Response(body).body }); // Firefox has no Request.body
    const response = handle ? await handle(request) : new Response(null, { status: 404 });
    scope.postMessage({ id, status: response.status, headers: [...response.headers] });
    const reader = response.body?.getReader();
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      scope.postMessage({ id, chunk: next.value });
    scope.postMessage({ id, end: "" });
  } catch (error) {
    scope.postMessage({ id, end: String(error) });
  } finally {
    stops.delete(id);
  }
}
