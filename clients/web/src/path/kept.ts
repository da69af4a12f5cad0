// Exports the progress to a file, and imports it from one.

import LESSONS from "../../../../server/lessons/lessons.json";
import { addFigures, figuresOf, isFigures } from "./figures.ts";
import { addCorrected, addMistakes, corrected, type Mistake, mistakesOf } from "./mistakes.ts";
import {
  addBeaten,
  addPlayed,
  addReviewed,
  addSolved,
  beaten,
  FULL,
  firstTries,
  GAMES,
  keepFirsts,
  keepStars,
  LEVELS,
  MOST_STARS,
  type PlayedGame,
  playedGames,
  reviewed,
  solvedOnes,
  starsOf,
} from "./progress.ts";

const FORMAT = "clerestory-path-1";

/** The fault of a file: it has another format, or one of its parts is invalid. */
export class BadFile extends Error {
  /** The part; empty for the file as a whole. */
  readonly part: string;

  constructor(part = "") {
    super(part);
    this.part = part;
  }
}

type Numbers = Readonly<Record<string, number>>;

interface Part {
  /** What may be in it. */
  is(value: unknown): boolean;
  /** It is read out of this browser. */
  from(game: string): unknown;
  add(game: string, value: never): void;
  /** Its value in older files, which lack it. */
  since?: unknown;
}

/** The parts of a file for a game. */
const PARTS: Readonly<Record<string, Part>> = {
  puzzles: { is: listOf(isNumber), from: solvedOnes, add: addSolved },
  first_tries: { is: mapOf(isTruth), from: firstTries, add: keepFirsts },
  levels: { is: listOf(isNumber), from: beaten, add: addKnownLevels },
  reviews: { is: listOf(isWord), from: reviewed, add: addReviewed },
  games: { is: listOf(isPlayed), from: playedGames, add: addPlayed, since: [] },
  figures: { is: listOf(isFigures), from: figuresOf, add: addFigures, since: [] },
  mistakes: { is: listOf(isMistake), from: mistakesOf, add: addMistakes, since: [] },
  corrected: { is: listOf(isWord), from: corrected, add: addCorrected, since: [] },
};

/** The text of a file. */
export function exported(): string {
  const games = GAMES.map((game) => [
    game,
    Object.fromEntries(Object.entries(PARTS).map(([part, { from }]) => [part, from(game)])),
  ]);
  const done = { format: FORMAT, lessons: starsOf(), ...Object.fromEntries(games) };
  return `${JSON.stringify(done, undefined, 2)}\n`;
}

/** Add what is in a file to what has been done here; nothing if a part of it has another shape. Throws BadFile.
 *
 * Lessons and levels that there are not are left out, and no lesson has more stars than it can.
 */
export function imported(text: string): void {
  const file = read(text);
  const stars = wanted(file, "lessons", mapOf(isNumber)) as Numbers;
  const adding = GAMES.flatMap((game) => {
    const parts = wanted(file, game, isMap) as object;
    return Object.entries(PARTS).map(([part, { is, add, since }]) => {
      const value = since !== undefined && !(part in parts) ? since : wanted(parts, part, is, `${game}.${part}`);
      return () => add(game, value as never);
    });
  });
  for (const lesson of Object.values(LESSONS).flat()) {
    const count = stars[lesson];
    if (count !== undefined) keepStars(lesson, Math.min(count, MOST_STARS));
  }
  for (const add of adding) add();
}

function addKnownLevels(game: string, levels: readonly number[]): void {
  addBeaten(
    game,
    levels.filter((level) => level <= FULL),
  );
}

function read(text: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(text);
    if (isMap(found) && (found as { format?: unknown }).format === FORMAT) return found as Record<string, unknown>;
  } catch {
    // The same message applies to every other format.
  }
  throw new BadFile();
}

/** A part of a file, which must be of a kind. */
function wanted(file: unknown, part: string, is: (value: unknown) => boolean, name = part): unknown {
  const value = (file as Record<string, unknown>)[part];
  if (!is(value)) throw new BadFile(name);
  return value;
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0;
}

function isWord(value: unknown): boolean {
  return typeof value === "string";
}

function isTruth(value: unknown): boolean {
  return typeof value === "boolean";
}

const isShare = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1;
const isLevel = (value: unknown) => value === undefined || (LEVELS as readonly unknown[]).includes(value);
const isAccuracy = (value: unknown) => value === undefined || (Number.isInteger(value) && isShare(Number(value) / 100));

function isPlayed(value: unknown): boolean {
  if (!isMap(value)) return false;
  const { id, time, share, level, accuracy } = value as Partial<Record<keyof PlayedGame, unknown>>;
  return isWord(id) && isNumber(time) && isShare(share) && isLevel(level) && isAccuracy(accuracy);
}

function isMistake(value: unknown): boolean {
  if (!isMap(value)) return false;
  const { id, position, seat, played, best, loss } = value as Partial<Record<keyof Mistake, unknown>>;
  return [id, played, best].every(isWord) && isMap(position) && isNumber(Number(seat) + 1) && isShare(loss);
}

function listOf(is: (value: unknown) => boolean) {
  return (value: unknown) => Array.isArray(value) && value.every(is);
}

function mapOf(is: (value: unknown) => boolean) {
  return (value: unknown) => isMap(value) && Object.values(value as object).every(is);
}
