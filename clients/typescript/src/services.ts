// The methods of a service over a transport.

import type { DescService } from "@bufbuild/protobuf";
import { type CallOptions, type Client, createClient as plainClient, type Transport } from "@connectrpc/connect";
import { checkCall } from "./errors.ts";

type Streaming = (request: unknown, options?: CallOptions) => AsyncIterable<unknown>;

/** The methods of a service. Leaving the loop over a stream ends it, and so the search behind it. */
export function createClient<S extends DescService>(service: S, transport: Transport): Client<S> {
  const methods = plainClient(service, transport);
  const streams = methods as Record<string, Streaming>;
  for (const { localName, methodKind } of service.methods) {
    const begin = streams[localName];
    if (begin && methodKind === "server_streaming") streams[localName] = (...asked) => leaving(begin, ...asked);
  }
  return methods;
}

async function* leaving(begin: Streaming, request: unknown, options: CallOptions = {}): AsyncGenerator<unknown> {
  checkCall(options.signal, options.timeoutMs);
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  const all = begin(request, { ...options, signal })[Symbol.asyncIterator]();
  try {
    for (let next = await all.next(); !next.done; next = await all.next()) yield next.value;
  } finally {
    left.abort();
    all.next().catch(() => undefined); // so that the library ends the timer of the deadline, too
  }
}
