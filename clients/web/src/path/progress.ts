// The progress of a player in this browser: stars of lessons, levels that were beaten, games that were reviewed, and
// puzzles that were solved.

import { timestampMs } from "@bufbuild/protobuf/wkt";
import { store, stored } from "../browser/storage.ts";
import { type Game, SeatKind } from "../gen/clerestory/v1/games_pb.ts";

export const GAMES = ["cathedral", "duel"] as const;
export const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
/** A bot that plays at full strength counts as the level after the last. */
export const FULL = LEVELS.length + 1;

const STARS = "lessons";
export const MOST_STARS = 3;

/** The stars of lessons, by name. */
export const starsOf = (): Readonly<Record<string, number>> => stored(STARS, {});

/** Keep the stars of a lesson, unless it had more. */
export function keepStars(lesson: string, stars: number): void {
  const known = starsOf();
  store(STARS, { ...known, [lesson]: Math.max(stars, known[lesson] ?? 0) });
}

/** A list that is kept for each game. */
export function listed<T>(name: string) {
  const kept = (game: string): readonly T[] => stored(`${name}:${game}`, []);
  const add = (game: string, more: readonly T[]) => store(`${name}:${game}`, [...new Set([...kept(game), ...more])]);
  return [kept, add] as const;
}

/** The levels of a game that were beaten, and adding some. */
export const [beaten, addBeaten] = listed<number>("beaten");

/** The games that were reviewed, and adding some. */
export const [reviewed, addReviewed] = listed<string>("reviewed");

/** Numbers of the puzzles of a game that were solved, and adding some. */
export const [solvedOnes, addSolved] = listed<number>("puzzles");

/** Whether the puzzles that were tried were solved at the first try, by number. */
export const firstTries = (game: string): Readonly<Record<number, boolean>> => stored(`puzzles-first:${game}`, {});

/** Keep how first tries went, where that is not known yet. */
export function keepFirsts(game: string, tries: Readonly<Record<number, boolean>>): void {
  store(`puzzles-first:${game}`, { ...tries, ...firstTries(game) });
}

/** A game that was played here to its end. */
export interface PlayedGame {
  id: string;
  /** When it ended, in seconds since 1970. */
  time: number;
  /** The share of the win, 0 to 1. */
  share: number;
  /** The level that it was played like, 1 to 8, and the accuracy, 0 to 100, once a review has found them. */
  level?: number;
  accuracy?: number;
}

const MOST_PLAYED = 500;

/** The games that were played, the oldest first. */
export const playedGames = (game: string): readonly PlayedGame[] => stored(`played:${game}`, []);

/** Add games; for a known one, add only its new facts. */
export function addPlayed(game: string, more: readonly PlayedGame[]): void {
  const known = new Map(playedGames(game).map((one) => [one.id, one]));
  for (const one of more) known.set(one.id, { ...one, ...known.get(one.id) });
  const all = [...known.values()].sort((one, other) => one.time - other.time);
  store(`played:${game}`, all.slice(-MOST_PLAYED));
}

/** Keep how well one played in a game, as a review has found it. */
export function keepLevel(
  game: string,
  gameId: string,
  { level, accuracy }: { level?: number; accuracy?: number } = {},
): void {
  const found = { ...(level ? { level } : {}), ...(accuracy === undefined ? {} : { accuracy: Math.round(accuracy) }) };
  const all = playedGames(game);
  if (all.some(({ id }) => id === gameId))
    store(
      `played:${game}`,
      all.map((one) => (one.id === gameId ? { ...one, ...found } : one)),
    );
}

/** Keep a finished game of one player here; if it was won against bots alone, with the level of the weakest. */
export function keepEnd(game: Game, mine: readonly number[]): void {
  const [me, ...more] = mine;
  const shares = game.end?.outcome?.winShares ?? [];
  const share = shares[me ?? -1];
  if (me === undefined || share === undefined || more.length) return;
  const ended = game.updated ? timestampMs(game.updated) : Date.now();
  addPlayed(game.game, [{ id: game.gameId, time: Math.round(ended / 1000), share }]);
  const others = game.seats.filter((seat) => seat.seat !== me);
  const won = others.every((seat) => seat.kind === SeatKind.BOT && share > (shares[seat.seat] ?? 0));
  if (won) addBeaten(game.game, [Math.min(...others.map((seat) => seat.bot?.level ?? FULL))]);
}
