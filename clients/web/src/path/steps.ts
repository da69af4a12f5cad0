// The order of the path: lessons, levels to beat, reviews and puzzles, and what of it comes next.

import PATH from "../../../../server/lessons/path.json";
import { beaten, reviewed, solvedOnes, starsOf } from "./progress.ts";

export type Step =
  | { kind: "lesson"; lesson: string }
  /** A level to beat, puzzles to have solved, games to have reviewed. */
  | { kind: "level" | "puzzles" | "review"; count: number };

function read(words: string): Step {
  const [kind = "", what = ""] = words.split(" ");
  if (kind === "lesson") return { kind, lesson: what };
  return { kind: kind as "level" | "puzzles" | "review", count: Number(what) };
}

const stepsOf = (game: string): Step[] => (PATH as Readonly<Record<string, string[]>>)[game]?.map(read) ?? [];

/** Whether a step has been taken; who has beaten a level has beaten those below it. */
function isDone(game: string, step: Step): boolean {
  if (step.kind === "lesson") return (starsOf()[step.lesson] ?? 0) > 0;
  if (step.kind === "level") return beaten(game).some((level) => level >= step.count);
  return (step.kind === "puzzles" ? solvedOnes : reviewed)(game).length >= step.count;
}

/** The next step of a game's path; at its end, more puzzles. `lessons` are those that there are, `own` a game to review. */
export function nextStep(game: string, lessons: readonly string[], own: boolean): Step {
  const fits = (step: Step) =>
    !isDone(game, step) && (step.kind === "lesson" ? lessons.includes(step.lesson) : step.kind !== "review" || own);
  return stepsOf(game).find(fits) ?? { kind: "puzzles", count: solvedOnes(game).length + 1 };
}
