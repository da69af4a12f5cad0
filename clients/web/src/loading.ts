// Loading of data for a screen.

import { type Signal, useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
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

/** A component that is loaded once it is wanted; undefined until then. */
export function useLater<P>(
  load: () => Promise<{ default: FunctionComponent<P> }>,
  wanted = true,
): FunctionComponent<P> | undefined {
  const view = useSignal<FunctionComponent<P> | undefined>(undefined);
  useEffect(() => {
    if (wanted && !view.value)
      void load().then((module) => {
        view.value = module.default;
      });
  }, [wanted]);
  return view.value;
}
