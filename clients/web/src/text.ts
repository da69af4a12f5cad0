// Numbers in words, and the languages of the cards.

import { type Key, say } from "./texts.ts";

const signed = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero", // of what is shown: -0.04 is "0.0"
});

const unsigned = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "negative",
});

const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

const LEVELS = ["beginner", "novice", "casual", "average", "good", "strong", "expert", "master"] as const;

export const text = {
  share: (value: number) => `${(100 * value).toFixed(1)} %`,
  points: (value: number) => signed.format(value),
  loss: (value: number) => unsigned.format(value),
  score: (value: number) => exact.format(value),
};

/** The name of a game. */
export const gameName = (game: string): string => (game in GAMES ? say(GAMES[game] as Key) : game);

const GAMES: Record<string, Key> = { cathedral: "game.cathedral", duel: "game.duel", toy: "game.toy" };

/** Languages in which cards have names, beside English, by the value of the catalogue that holds them. */
export const LANGUAGES: Record<string, string> = {
  de: "name_de",
  it: "name_it",
  es: "name_es",
  fr: "name_fr",
  he: "name_he",
};

/** The language that the reader has chosen for the names of cards. */
export function language(): string {
  const chosen = localStorage.getItem("language") ?? "en"; // not the browser's: all else on the page is in English
  return chosen in LANGUAGES ? chosen : "en";
}

/** The name of a level. */
export function levelName(level: number | undefined): string {
  const name = LEVELS[(level ?? 0) - 1];
  return name ? say("level", { level: level ?? 0, name: say(`level.${name}`) }) : say("level.full");
}
