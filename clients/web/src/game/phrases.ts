// Set phrases between people at a table: those that arrive, for a few seconds, unless the reader hides them.

import { signal } from "@preact/signals";
import { browser } from "../browser/storage.ts";
import { Phrase, type SentPhrase } from "../gen/clerestory/v1/games_pb.ts";
import type { Key } from "../language/texts.ts";

const SEEN = 6000; // milliseconds that a phrase stays in sight
const MOST = 4; // in sight at a time

/** All phrases, in the order in which they are offered. */
export const PHRASES: readonly Phrase[] = Object.values(Phrase).filter(
  (one): one is Phrase => typeof one === "number" && one !== Phrase.UNSPECIFIED,
);

/** The key of a phrase's text. */
export const keyOf = (phrase: Phrase): Key => `phrase.${Phrase[phrase]?.toLowerCase()}` as Key;

/** Whether this reader hides what others say. */
export const muted = signal(browser.get("phrases") === "off");

export function mute(hidden: boolean): void {
  muted.value = hidden;
  browser.set("phrases", hidden ? "off" : "on");
}

/** The phrases in sight. */
export class Heard {
  readonly latest = signal<readonly SentPhrase[]>([]);

  /** Show phrases of a stream, each for its time. */
  hear(sent: readonly SentPhrase[]): void {
    if (!sent.length) return;
    this.latest.value = [...this.latest.value, ...sent].slice(-MOST);
    setTimeout(() => {
      this.latest.value = this.latest.value.filter((one) => !sent.includes(one));
    }, SEEN);
  }
}
