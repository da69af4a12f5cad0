// Calls where only the newest counts, in whichever order they are answered.

import { signal } from "@preact/signals";
import { wordsOf } from "./api.ts";

/** A series of calls: whether one is the newest can be asked at any time. */
export class Series {
  #made = 0;

  /** Count a call, and return whether it is still the newest. */
  next(): () => boolean {
    this.#made += 1;
    return this.newest();
  }

  /** The same of the call that was counted last. */
  newest(): () => boolean {
    const made = this.#made;
    return () => made === this.#made;
  }
}

export class Newest {
  /** The newest call is in progress. */
  readonly busy = signal(false);
  /** Why it failed. */
  readonly trouble = signal("");
  readonly #calls = new Series();

  /** Make a call, and apply its answer unless a newer one has been made. */
  async ask<T>(call: () => Promise<T>, took: (answer: T) => void): Promise<void> {
    const counts = this.#calls.next();
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
