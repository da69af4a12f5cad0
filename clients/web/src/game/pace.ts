// Shows the actions of others one step after the other, at a pace that people can follow.

import { signal } from "@preact/signals";
import { browser } from "../browser/storage.ts";

/** Milliseconds for a step that can be chosen; 0 shows everything at once. */
export const PACES = [0, 200, 400, 1000] as const;

/** The chosen milliseconds, stored for the next visit. */
export const pace = signal(Number(browser.get("pace") ?? 400));

export function choosePace(milliseconds: number): void {
  pace.value = milliseconds;
  browser.set("pace", String(milliseconds));
}

type Step = () => unknown;

export class Pace {
  /** Whether there is more to be shown. */
  readonly waiting = signal(false);
  #steps: { step: Step; lasts: boolean }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Show a step once those before it have been seen; `lasts` if it takes time to be seen. */
  add(step: Step, lasts = true): void {
    this.#steps.push({ step, lasts });
    if (this.#timer === undefined) this.#go();
    this.waiting.value = this.#steps.length > 0;
  }

  /** Let what is shown now be seen before the next step. */
  rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (pace.value && !document.hidden) this.#timer = setTimeout(() => this.#go(), pace.value);
  }

  /** Let what is shown now be seen for some time, or until `skip` or `goOn`. */
  hold(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#go(), milliseconds);
  }

  /** Show the next step, if one is waiting. */
  readonly goOn = (): void => {
    clearTimeout(this.#timer);
    this.#go();
  };

  /** Show everything at once. */
  readonly skip = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { step } of this.#steps.splice(0)) step();
    this.waiting.value = false;
  };

  #go(): void {
    this.#timer = undefined;
    for (let next = this.#steps.shift(); next; next = this.#steps.shift()) {
      next.step();
      if (next.lasts && this.#timer === undefined) this.rest();
      if (this.#timer !== undefined) break;
    }
    this.waiting.value = this.#steps.length > 0;
  }
}
