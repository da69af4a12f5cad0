// What a file exports, which is loaded once.

import { signal } from "@preact/signals";

/** What `load` returns, which is loaded when it is first wanted; undefined until then. */
export function once<T>(load: () => Promise<T>): () => T | undefined {
  const found = signal<T | undefined>(undefined);
  let asked = false;
  return () => {
    if (!asked) {
      asked = true;
      load().then(
        (value) => {
          found.value = value;
        },
        () => {
          asked = false; // the next one that wants it asks again
        },
      );
    }
    return found.value;
  };
}
