// `path`: lessons, levels, puzzles and games, with what has been done in this browser, and what comes next.

import { useSignal } from "@preact/signals";
import { looks } from "../boards/seats.ts";
import { link } from "../browser/route.ts";
import type { Game } from "../gen/clerestory/v1/games_pb.ts";
import type { LessonSummary } from "../gen/clerestory/v1/lessons_pb.ts";
import type { PuzzleSummary } from "../gen/clerestory/v1/puzzle_pb.ts";
import { FILES } from "../gen/table.ts";
import { gameName, levelName } from "../language/text.ts";
import { capital, learn, say } from "../language/texts.ts";
import * as lesson from "../lessons/lesson.ts";
import { Stars } from "../lessons/stars.tsx";
import { Opening } from "../parts/opening.tsx";
import { SeatName, ToLobby, Trouble, taken } from "../parts/parts.tsx";
import * as puzzle from "../puzzle/puzzle.ts";
import { games } from "../service/api.ts";
import { useLoaded } from "../service/loading.ts";
import { ownTokens, sitsIn } from "../service/tokens.ts";
import { Findings } from "./findings.tsx";
import { History } from "./history.tsx";
import { BadFile, exported, imported } from "./kept.ts";
import { mistakesOf } from "./mistakes.ts";
import { PlayButton } from "./play.tsx";
import { beaten, GAMES, LEVELS, reviewed, solvedOnes, starsOf } from "./progress.ts";
import { Report } from "./report.tsx";
import { Step } from "./step.tsx";

interface Found {
  lessons: readonly LessonSummary[];
  puzzles: Readonly<Record<string, readonly PuzzleSummary[]>>;
  /** One's own games that are over and can be looked back at. */
  over: readonly Game[];
}

async function load(): Promise<Found> {
  const tokens = ownTokens();
  const [lessons, mine, ...puzzles] = await Promise.all([
    lesson.listed(),
    tokens.length ? games.listGames({ tokens, pageSize: 100 }) : undefined,
    ...GAMES.map(puzzle.listed),
    learn(FILES),
  ]);
  const over = mine?.games.filter((game) => game.end && game.ply > 0 && sitsIn(game.gameId)) ?? [];
  return { lessons, over, puzzles: Object.fromEntries(GAMES.map((game, at) => [game, puzzles[at] ?? []])) };
}

export default function PathScreen() {
  const { found, trouble } = useLoaded("path", load);
  const version = useSignal(0); // grows with every file that is read
  if (!found) return <Opening trouble={trouble} />;
  return (
    <main class="page path">
      <h1>{say("learn.path")}</h1>
      <p>{say("learn.about")}</p>
      {GAMES.map((game) => (
        <Part key={`${game} ${version.value}`} game={game} {...found} />
      ))}
      <Findings />
      <File onRead={() => (version.value += 1)} />
      <p>
        <ToLobby />
      </p>
    </main>
  );
}

/** The path of a game. */
function Part({ game, lessons, puzzles, over }: Found & { game: string }) {
  const own = lessons.filter((one) => one.game === game);
  const played = over.filter((one) => one.game === game);
  const fresh = played.find((one) => !reviewed(game).includes(one.gameId));
  return (
    <section>
      <h2>{gameName(game)}</h2>
      <p class="row">
        <Step game={game} played={fresh} lessons={own} />
      </p>
      {own.length > 0 ? <Lessons lessons={own} /> : <p class="notice">{say("learn.withdrawn")}</p>}
      <History game={game} />
      <Levels game={game} />
      {(puzzles[game]?.length ?? 0) > 0 && <Puzzles game={game} known={puzzles[game] ?? []} />}
      <Report game={game} />
      <Mistakes game={game} />
      {played.length > 0 && <Reviews game={game} played={played} />}
    </section>
  );
}

function Lessons({ lessons }: { lessons: readonly LessonSummary[] }) {
  const stars = starsOf();
  return (
    <>
      <h3>{say("learn.lessons")}</h3>
      <ol class="lessons">
        {lessons.map((one) => (
          <li key={one.lesson}>
            <a href={link("learn", one.lesson)}>
              <strong>{one.title}</strong> <span>{one.about}</span>
            </a>
            <span class="muted">{say("learn.minutes", { count: one.minutes })}</span>
            <Stars count={stars[one.lesson] ?? 0} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** A game against each level, with those that were beaten. */
function Levels({ game }: { game: string }) {
  const won = beaten(game);
  return (
    <>
      <h3>{say("learn.levels")}</h3>
      <ul class="chosen">
        {LEVELS.map((level) => (
          <li key={level}>
            <PlayButton game={game} bot={{ level }}>
              {capital(levelName(level))}
              {won.includes(level) && <Done words={say("learn.beaten")} />}
            </PlayButton>
          </li>
        ))}
      </ul>
    </>
  );
}

const Done = ({ words }: { words: string }) => (
  <span class="done">
    {" "}
    ✓ <span class="unseen">{words}</span>
  </span>
);

/** The puzzles of each theme by level, each a link to the first that is not solved. */
function Puzzles({ game, known }: { game: string; known: readonly PuzzleSummary[] }) {
  const solved = solvedOnes(game);
  return (
    <>
      <h3>{say("learn.puzzles", { count: solved.length })}</h3>
      <dl class="themes">
        {puzzle.themes(game).map((theme) => (
          <div key={theme}>
            <dt>{puzzle.themeName(game, theme)}</dt>
            <dd>
              <ul class="chosen">
                {LEVELS.map((level) => {
                  const some = puzzle.among(known, game, { level, theme });
                  const done = some.filter((one) => solved.includes(one.number)).length;
                  return (
                    some.length > 0 && (
                      <li key={level}>
                        <a
                          class="button"
                          href={link("puzzle", game, puzzle.following(known, game, { level, theme }, 0))}
                          onClick={() => puzzle.want({ level, theme })}
                        >
                          {say("learn.of_level", { level, done, of: some.length })}
                        </a>
                      </li>
                    )
                  );
                })}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The way to the puzzles from one's own mistakes; nothing if there are none. */
function Mistakes({ game }: { game: string }) {
  const count = mistakesOf(game).length;
  if (!count) return null;
  return (
    <>
      <h3>{say("puzzle.mine.title")}</h3>
      <p>{say("puzzle.mine.about")}</p>
      <p class="row">
        <a class="button" href={link("puzzle", game, "mine")}>
          {say("puzzle.mine")}
        </a>
        <span>{say("puzzle.mine.left", { count })}</span>
      </p>
    </>
  );
}

/** One's own games, with those that were reviewed. */
function Reviews({ game, played }: { game: string; played: readonly Game[] }) {
  const done = reviewed(game);
  return (
    <>
      <h3>{say("learn.reviews")}</h3>
      <ul class="played">
        {played.map((one) => (
          <li key={one.gameId}>
            {looks(one.seats).map((seat) => (
              <SeatName key={seat.seat} look={seat} />
            ))}
            <a class="button" href={link("study", "game", one.gameId, one.ply, "review")}>
              {say("end.review")}
              {done.includes(one.gameId) && <Done words={say("learn.reviewed")} />}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The progress, with its export and import. */
function File({ onRead }: { onRead(): void }) {
  const trouble = useSignal("");
  const told = useSignal("");
  const read = async (file: globalThis.File | undefined) => {
    if (!file) return;
    [trouble.value, told.value] = ["", ""];
    try {
      imported(await file.text());
      told.value = say("learn.imported");
      onRead();
    } catch (error) {
      trouble.value =
        error instanceof BadFile && error.part ? say("learn.bad_part", { part: error.part }) : say("learn.bad_file");
    }
  };
  return (
    <section>
      <h2>{say("learn.kept")}</h2>
      <p>{say("learn.kept_here")}</p>
      <p class="row">
        <a
          class="button"
          download="clerestory-path.json"
          href={`data:application/json,${encodeURIComponent(exported())}`}
        >
          {say("learn.export")}
        </a>
        <label>
          {say("learn.import")}{" "}
          <input
            type="file"
            accept=".json,application/json"
            onChange={(event) => void read(taken(event.currentTarget))}
          />
        </label>
      </p>
      <Trouble words={trouble.value} />
      <p role="status">{told.value}</p>
    </section>
  );
}
