// Calls that are made again while the connection to the server is broken.

import { Code } from "@clerestory/client";
import type { Signal } from "@preact/signals";
import { say } from "../language/texts.ts";
import { codeOf, isPassing, wordsOf } from "./api.ts";

export const SHORTEST = 500; // milliseconds before another try, doubled each time
const LONGEST = 8000;
/** Of one try whose answer is short: what hangs is asked again. */
export const LIMIT = { timeoutMs: 20_000 };

/** The wait, in milliseconds, that follows a given one. */
export const longer = (pause: number): number => Math.min(2 * pause, LONGEST);

/** A wait before each further try, longer each time. */
export function pauses(): () => Promise<void> {
  let next = SHORTEST;
  return () => {
    const pause = next;
    next = longer(next);
    return new Promise((resolve) => setTimeout(resolve, pause));
  };
}

/** Whether a later try may succeed: the connection is broken, or the server has too much to do. */
export const mayPass = (error: unknown): boolean => isPassing(error) || codeOf(error) === Code.ResourceExhausted;

export interface Insistence {
  /** Whether the answer is still wanted; always, if not set. */
  wanted?: () => boolean;
  /** Called with why it is tried again, and with nothing once it has been answered. */
  told?: (trouble: string) => void;
  /** Whether an error may pass; by default one of the connection. */
  passes?: (error: unknown) => boolean;
}

/** Make a call until it is answered, refused for good, or wanted no longer. Throws its last error. */
export async function insist<T>(
  call: () => Promise<T>,
  { wanted = () => true, told = () => undefined, passes = isPassing }: Insistence = {},
): Promise<T> {
  for (const pause = pauses(); ; ) {
    try {
      const answer = await call();
      if (wanted()) told("");
      return answer;
    } catch (error) {
      if (!wanted() || !passes(error)) throw error;
      told(wordsOf(error));
      await pause();
      if (!wanted()) throw error;
    }
  }
}

/** Why something is tried again, as a sentence, and that it is; nothing without a reason. */
export const retried = (why: string): string =>
  why && say("trouble.again", { trouble: /[.!?…]$/.test(why) ? why : `${why}.` });

/** Keep why something is tried again, in words, until it has been answered. */
export const again =
  (kept: Signal<string>) =>
  (why: string): void => {
    kept.value = retried(why);
  };
