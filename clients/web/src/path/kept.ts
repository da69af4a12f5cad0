// Exports the progress to a file, and imports it from one.

import LESSONS from "../../../../server/lessons/lessons.json";
import {
  addBeaten,
  addReviewed,
  addSolved,
  beaten,
  FULL,
  firstTries,
  GAMES,
  keepFirsts,
  keepStars,
  MOST_STARS,
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

/** The parts of a file for a game: what may be in them, how they are read out of this browser, and how they are added. */
const PARTS = {
  puzzles: { is: listOf(isNumber), from: solvedOnes, add: addSolved },
  first_tries: { is: mapOf(isTruth), from: firstTries, add: keepFirsts },
  levels: { is: listOf(isNumber), from: beaten, add: addKnownLevels },
  reviews: { is: listOf(isWord), from: reviewed, add: addReviewed },
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
    const parts = wanted(file, game, isMap);
    return Object.entries(PARTS).map(([part, { is, add }]) => {
      const value = wanted(parts, part, is, `${game}.${part}`);
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

function listOf(is: (value: unknown) => boolean) {
  return (value: unknown) => Array.isArray(value) && value.every(is);
}

function mapOf(is: (value: unknown) => boolean) {
  return (value: unknown) => isMap(value) && Object.values(value as object).every(is);
}
