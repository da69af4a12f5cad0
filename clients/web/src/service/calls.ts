// Calls that change a game, one after the other, each until it is answered.

import { computed, signal } from "@preact/signals";
import { say } from "../language/texts.ts";
import { reasonOf, wordsOf } from "./api.ts";
import { type Insistence, insist, LIMIT } from "./insist.ts";

const TRIES = 10; // of a call that is refused because another change came first

/** A call with its message, which may be repeated; undefined once it is no longer wanted. */
type Prepared<T> = ((limit: Limit) => Promise<T>) | undefined;

/** How long one try of it may take. */
export type Limit = typeof LIMIT;

export class Calls {
  /** Why the last call was refused. */
  readonly refused = signal("");
  /** A call is in progress or waiting. */
  readonly busy = computed(() => this.#undone.value > 0);

  readonly #catchUp: () => Promise<void>;
  readonly #insistence: Insistence;
  readonly #undone = signal(0);
  #before: Promise<unknown> = Promise.resolve(); // settles with the last requested call

  /** Calls about a state; `catchUp` requests it again. */
  constructor(catchUp: () => Promise<void>, insistence: Insistence) {
    this.#catchUp = catchUp;
    this.#insistence = insistence;
  }

  /**
   * Make a call after all earlier ones, and apply its result.
   *
   * If the connection breaks, or no answer comes, the same call is repeated, which has no second effect. If another
   * change came first, the call is prepared again.
   */
  make<T>(prepare: () => Prepared<T>, took: (answer: T) => void): Promise<boolean> {
    this.#undone.value += 1;
    const done = this.#before.then(() => this.#makeNow(prepare, took));
    this.#before = done.finally(() => {
      this.#undone.value -= 1;
    });
    return done;
  }

  async #makeNow<T>(prepare: () => Prepared<T>, took: (answer: T) => void): Promise<boolean> {
    this.refused.value = "";
    for (let left = TRIES; ; left--) {
      const call = prepare();
      try {
        if (call) took(await insist(() => call(LIMIT), this.#insistence));
        else this.refused.value = say("trouble.gone_on");
        return call !== undefined;
      } catch (error) {
        await this.#catchUp().catch(() => undefined);
        if (reasonOf(error) === "STALE_VERSION" && left > 0) continue;
        this.refused.value = wordsOf(error);
        return false;
      }
    }
  }
}
