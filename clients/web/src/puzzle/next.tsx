// What follows a puzzle: the next one, of any kind or of one, and the next step of the path.

import { useMemo } from "preact/hooks";
import { link } from "../browser/route.ts";
import type { PuzzleSummary } from "../gen/clerestory/v1/puzzle_pb.ts";
import { levelName } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { mistakesOf } from "../path/mistakes.ts";
import { NextStep } from "../path/next.tsx";
import { firstTries, solvedOnes } from "../path/progress.ts";
import { among, following, type Puzzle, themeName, themes, want, wanted } from "./puzzle.ts";

interface NextProps {
  puzzle: Puzzle;
  number: number;
  /** The puzzles of the game. */
  known: readonly PuzzleSummary[];
}

/** Links to the next puzzle, of any kind or of one, and to the next step of the path. */
export function Next({ puzzle, number, known }: NextProps) {
  const { game } = puzzle.task;
  const levels = [...new Set(known.map((one) => one.level))].sort((a, b) => a - b);
  const solved = useMemo(() => solvedOnes(game), [puzzle.done.value]);
  const first = firstTries(game);
  const chosen = among(known, game, wanted.value);
  const next = following(known, game, wanted.value, number);
  return (
    <>
      <p class="row">
        <Kind
          label={say("learn.theme")}
          value={wanted.value.theme}
          any=""
          kinds={themes(game).map((one) => [one, themeName(game, one)])}
          onChoose={(theme) => want({ theme })}
        />
        <Kind
          label={say("puzzle.level")}
          value={String(wanted.value.level)}
          any="0"
          kinds={levels.map((one) => [String(one), levelName(one)])}
          onChoose={(level) => want({ level: Number(level) })}
        />
        {next > 0 && (
          <a class="button" href={link("puzzle", game, next)}>
            {say("puzzle.next")}
          </a>
        )}
        <span>
          {say("puzzle.solved", {
            solved: chosen.filter((one) => solved.includes(one.number)).length,
            of: chosen.length,
            first: chosen.filter((one) => first[one.number]).length,
          })}
        </span>
      </p>
      {puzzle.done.value && <NextStep game={game} />}
    </>
  );
}

/** A link to the next mistake once this one is done, and how many are left. */
export function NextMine({ puzzle: { task, done } }: { puzzle: Puzzle }) {
  const count = done.value ? mistakesOf(task.game).length : 0;
  return (
    <p class="row">
      {count > 0 && (
        <a class="button" href={link("puzzle", task.game, "mine")}>
          {say("puzzle.mine.next")}
        </a>
      )}
      {done.value && <span>{say("puzzle.mine.left", { count })}</span>}
      <a class="button" href={link("path")}>
        {say("learn.path")}
      </a>
    </p>
  );
}

interface KindProps {
  label: string;
  value: string;
  /** The value for any. */
  any: string;
  kinds: readonly (readonly [string, string])[];
  onChoose(value: string): void;
}

const Kind = ({ label, value, any, kinds, onChoose }: KindProps) => (
  <label>
    {label}{" "}
    <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value={any}>{say("puzzle.any")}</option>
      {kinds.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  </label>
);
