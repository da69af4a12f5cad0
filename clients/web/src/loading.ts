// Loading of data for a screen.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { wordsOf } from "./api.ts";

/** The loaded data and the error; loaded again if `key` changes. */
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
