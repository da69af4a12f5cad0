// Streams: sequences of messages that arrive, and waiting for them.

import { Code, ConnectError } from "@connectrpc/connect";

const SILENCE = 40_000; // milliseconds; the server sends something every 15 s

/**
 * The messages of a stream that counts as broken after a silence.
 *
 * Throws what `begin` or its stream throws: with kind "unavailable" after a silence, "cancelled" once the signal is aborted.
 */
export async function* alive<T>(
  begin: (signal: AbortSignal) => AsyncIterable<T>,
  signal?: AbortSignal,
  silence = SILENCE,
): AsyncGenerator<T> {
  const stop = new AbortController();
  const silent = () => new ConnectError(`no sign of the server for ${silence / 1000} s`, Code.Unavailable);
  const alarm = () => setTimeout(() => stop.abort(silent()), silence);
  let timer = alarm();
  try {
    for await (const message of begin(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal)) {
      clearTimeout(timer);
      yield message;
      timer = alarm();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Wait. Throws what a signal is aborted with. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

export async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
