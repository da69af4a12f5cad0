// The progress of a player in this browser: stars of lessons, levels that were beaten, games that were reviewed, and
// puzzles that were solved.

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
function listed<T>(name: string) {
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

/** Keep the level of the weakest bot, if a player here has won alone against bots. */
export function keepEnd(game: Game, mine: readonly number[]): void {
  const [me, ...more] = mine;
  const others = game.seats.filter((seat) => seat.seat !== me);
  const shares = game.end?.outcome?.winShares ?? [];
  if (me === undefined || more.length || !others.every((seat) => seat.kind === SeatKind.BOT)) return;
  if (others.every((seat) => (shares[me] ?? 0) > (shares[seat.seat] ?? 0)))
    addBeaten(game.game, [Math.min(...others.map((seat) => seat.bot?.level ?? FULL))]);
}
