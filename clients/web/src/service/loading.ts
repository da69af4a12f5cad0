// Loading of data for a screen, and of parts of it.

import { CallError } from "@clerestory/client";
import { type Signal, useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { language } from "../language/texts.ts";
import { wordsOf } from "./api.ts";
import { isGone, loadAnew } from "./files.ts";
import { again, insist, mayPass } from "./insist.ts";

/** Whether a call failed that may succeed later; any other error is one of what was loaded. */
const passes = (error: unknown) => error instanceof CallError && mayPass(error);

/** The loaded data and the error; loaded again if `key` changes, and until the server can be reached. */
export function useLoaded<T>(key: string, load: () => Promise<T>, words: (error: unknown) => string = wordsOf) {
  const found: Signal<T | undefined> = useSignal(undefined);
  const trouble = useSignal("");
  useEffect(() => {
    let here = true;
    insist(load, { wanted: () => here, told: again(trouble), passes }).then(
      (value) => {
        if (here) found.value = value;
      },
      (error) => {
        if (here) trouble.value = words(error);
      },
    );
    return () => {
      here = false;
    };
  }, [key]);
  return { found: found.value, trouble: trouble.value };
}

/** A component that is loaded once it is wanted; undefined until then, and where it cannot be had. */
export function useLater<P>(
  load: () => Promise<{ default: FunctionComponent<P> }>,
  wanted = true,
): FunctionComponent<P> | undefined {
  const view = useSignal<FunctionComponent<P> | undefined>(undefined);
  const here = useHere();
  useEffect(() => {
    if (!wanted || view.value) return;
    insist(load, { wanted: here, passes })
      .then((module) => {
        view.value = module.default;
      })
      .catch((error) => isGone(error) && here() && loadAnew(error))
      .catch(() => undefined);
  }, [wanted]);
  return view.value;
}

/** Request the data of the service again whenever the language changes. */
export function useRetold(again: () => Promise<void>): void {
  const spoken = useRef(language.value);
  useEffect(() => {
    if (spoken.current !== language.value) void again();
    spoken.current = language.value;
  }, [language.value]);
}

/** Whether a component is still shown. */
export function useHere(): () => boolean {
  const here = useRef(true);
  useEffect(
    () => () => {
      here.current = false;
    },
    [],
  );
  return () => here.current;
}
