// Numbers and levels in words, and the languages of the cards.

import { computed } from "@preact/signals";
import { apart, type Key, knows, language, say } from "./texts.ts";

const format = (options: Intl.NumberFormatOptions) =>
  computed(() => {
    const written = new Intl.NumberFormat(language.value, options);
    return (value: number) => apart(written.format(value).replace("-", "\u2212"));
  });

const TENTHS = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const tenths = format({ ...TENTHS, signDisplay: "negative" });
const signed = format({ ...TENTHS, signDisplay: "exceptZero" }); // of what is shown: -0.04 is "0.0"
const exact = format({ maximumFractionDigits: 2 });

const relative = computed(() => new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }));
const SPANS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const; // in seconds

/** How long ago a moment was, in the largest unit that it fills. */
function since(moment: Date): string {
  const seconds = Math.max((Date.now() - moment.getTime()) / 1000, 0);
  const [unit, length] = SPANS.find(([, length]) => seconds >= length) ?? SPANS[3];
  return relative.value.format(-Math.floor(seconds / length), unit);
}

const ISOLATES = /[\u2066-\u2069]/g;

/** A number and its percent sign, which stay together in Hebrew, too. */
const percent = (written: string) => apart(say("percent", { number: written }).replaceAll(ISOLATES, ""));

export const text = {
  share: (value: number) => percent(tenths.value(100 * value)),
  change: (value: number) => percent(signed.value(100 * value)),
  whole: (value: number) => percent(String(Math.round(100 * value))),
  points: (value: number) => signed.value(value),
  loss: (value: number) => tenths.value(value),
  score: (value: number) => exact.value(value),
  since,
};

/** The name of a game. */
export const gameName = (game: string): string => (game in GAMES ? say(GAMES[game] as Key) : game);

const GAMES: Record<string, Key> = { cathedral: "game.cathedral", duel: "game.duel", toy: "game.toy" };

/** The name of a level. */
export function levelName(level: number | undefined): string {
  return level ? say("level", { level }) : say("level.full");
}

/** How a game counts points, where that is not plain; empty elsewhere. */
export function scoring(game = ""): string {
  const key = `scoring.${game}`;
  return knows(key) ? say(key) : "";
}
