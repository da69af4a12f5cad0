// The path: lessons, puzzles and games, with what has been done in this browser, and what comes next.

import type { LessonSummary } from "../gen/clerestory/v1/lessons_pb.ts";
import { solvedOnes } from "../puzzle.ts";
import { link } from "../route.ts";
import { gameName } from "../text.ts";
import { say } from "../texts.ts";
import { starsOf } from "./progress.ts";
import { Stars } from "./stars.tsx";

const GAMES = ["cathedral", "duel"];

export function Path({ lessons }: { lessons: readonly LessonSummary[] }) {
  const stars = starsOf();
  const next = lessons.find(({ lesson }) => !stars[lesson]);
  return (
    <main class="page path">
      <h1>{say("learn.path")}</h1>
      <p>{say("learn.about")}</p>
      {next && (
        <p>
          <a class="button main" href={link("learn", next.lesson)}>
            {say("learn.go_on", { title: next.title })}
          </a>
        </p>
      )}
      {GAMES.map((game) => (
        <section key={game}>
          <h2>{gameName(game)}</h2>
          <ol class="lessons">
            {lessons
              .filter((one) => one.game === game)
              .map((one) => (
                <li key={one.lesson}>
                  <a href={link("learn", one.lesson)}>
                    <strong>{one.title}</strong> <span>{one.about}</span>
                  </a>
                  <span class="muted">{say("learn.minutes", { count: one.minutes })}</span>
                  <Stars count={stars[one.lesson] ?? 0} />
                </li>
              ))}
          </ol>
          <p class="row">
            <a class="button" href={link("puzzle", game)}>
              {say("learn.puzzles", { count: solvedOnes(game).size })}
            </a>
          </p>
        </section>
      ))}
      <p class="row">
        <a class="button" href="#/">
          {say("to_lobby")}
        </a>
        <a class="button" download="clerestory-path.json" href={exported()}>
          {say("learn.export")}
        </a>
      </p>
    </main>
  );
}

/** What has been done in this browser, as a file. */
function exported(): string {
  const done = { lessons: starsOf(), puzzles: Object.fromEntries(GAMES.map((game) => [game, [...solvedOnes(game)]])) };
  return `data:application/json,${encodeURIComponent(JSON.stringify(done, undefined, 2))}`;
}
