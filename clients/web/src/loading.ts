// What a screen waits for.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { wordsOf } from "./api.ts";

/** What is loaded, and what went wrong; loaded anew where `key` is another. */
export function useLoaded<T>(key: string, load: () => Promise<T>, words: (error: unknown) => string = wordsOf) {
  const found: Signal<T | undefined> = useSignal(undefined);
  const trouble = useSignal("");
  useEffect(() => {
    load().then(
      (value) => {
        found.value = value;
      },
      (error) => {
        trouble.value = words(error);
      },
    );
  }, [key]);
  return { found: found.value, trouble: trouble.value };
}
