// Calls of which only the newest counts, whichever is answered last.

import { signal } from "@preact/signals";
import { wordsOf } from "./api.ts";

export class Newest {
  /** The newest call is in progress. */
  readonly busy = signal(false);
  /** Why it failed. */
  readonly trouble = signal("");
  #made = 0;

  /** Make a call, and apply its answer unless a newer one has been made. */
  async ask<T>(call: () => Promise<T>, took: (answer: T) => void): Promise<void> {
    const made = ++this.#made;
    const counts = () => made === this.#made;
    this.busy.value = true;
    this.trouble.value = "";
    try {
      const answer = await call();
      if (counts()) took(answer);
    } catch (error) {
      if (counts()) this.trouble.value = wordsOf(error);
    } finally {
      if (counts()) this.busy.value = false;
    }
  }
}
