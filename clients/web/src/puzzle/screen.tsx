// A puzzle: find the one action that is clearly best.

import { useEffect, useMemo } from "preact/hooks";
import { look, seatCount } from "../boards/seats.ts";
import { go, link, numberOf } from "../browser/route.ts";
import { tab } from "../browser/storage.ts";
import { forget } from "../game/plan.ts";
import type { PuzzleSummary } from "../gen/clerestory/v1/puzzle_pb.ts";
import { FILES } from "../gen/table.ts";
import { labelOf, planOf } from "../language/labels.ts";
import { levelName, text } from "../language/text.ts";
import { learn, rich, say } from "../language/texts.ts";
import { Opening } from "../parts/opening.tsx";
import { SeatName, Trouble } from "../parts/parts.tsx";
import { NextStep } from "../path/next.tsx";
import { firstTries, solvedOnes } from "../path/progress.ts";
import { useLoaded } from "../service/loading.ts";
import { IMPORTED } from "../study/study.ts";
import { Table } from "../views/table.tsx";
import { among, following, isSolved, listed, type Puzzle, posed, themeName, themes, want, wanted } from "./puzzle.ts";

/** `puzzle/GAME/NUMBER`; without a number, the first that is not solved yet. */
export default function PuzzleScreen({ words: [game = "", number] }: { words: string[] }) {
  const { found: puzzles, trouble } = useLoaded(game, () => load(game));
  useEffect(() => {
    if (wanted.value.theme && !themes(game).includes(wanted.value.theme)) want({ theme: "" }); // another game's
    if (!puzzles?.length || number) return;
    if (isSolved(puzzles, game, wanted.value)) want({ level: 0, theme: "" }); // it would lead nowhere
    go(["puzzle", game, following(puzzles, game, wanted.value, 0)], true);
  }, [puzzles, number]);
  if (puzzles?.length && number)
    return <Shown key={`${game}/${number}`} game={game} number={numberOf(number)} known={puzzles} />;
  if (!puzzles || puzzles.length) return <Opening trouble={trouble} />;
  return (
    <main class="page">
      <p>{say("puzzle.none")}</p>
      <a href="#/">{say("to_lobby")}</a>
    </main>
  );
}

async function load(game: string) {
  const [puzzles] = await Promise.all([listed(game), learn(FILES)]);
  return puzzles;
}

function Shown({ game, number, known }: { game: string; number: number; known: readonly PuzzleSummary[] }) {
  const { found: puzzle, trouble } = useLoaded("", () => posed(game, number));
  if (!puzzle) return <Opening trouble={trouble} />;
  const { position, points, actions, seat } = puzzle;
  const seats = Array.from({ length: seatCount(position) }, (_, index) => look(index));
  const mine = seats[seat];
  const plan = `puzzle:${game}:${number}`;
  return (
    <Table
      version={number}
      position={position}
      points={points}
      seats={seats}
      viewer={seat}
      actions={actions}
      busy={puzzle.asked.busy.value || puzzle.done.value}
      onAction={(action) => void puzzle.play(action)}
      onPlan={(actions) => {
        forget(plan);
        void puzzle.tryPlan(actions);
      }}
      planned={plan}
      turn={say("puzzle.turn", { number, who: mine?.name ?? "" })}
      seat={seat}
      news=""
      newsAt={0}
      myTurn={!puzzle.done.value}
      question={undefined}
      barred={say(puzzle.done.value ? "puzzle.study_has" : "puzzle.no_hints")}
      applied={[]}
      at={0}
      below={
        <section class="following" aria-label={say("puzzle.next")}>
          {!puzzle.done.value && (
            <button type="button" class="wide-plain" onClick={() => void puzzle.giveUp()}>
              {say("puzzle.show")}
            </button>
          )}
          <Next puzzle={puzzle} known={known} />
        </section>
      }
      onGo={() => undefined}
      menu={
        <a class="button" href="#/">
          {say("menu.lobby")}
        </a>
      }
    >
      <section class="puzzle" aria-label={say("puzzle")}>
        <p>
          {mine && <SeatName look={mine} />}: {say("puzzle.which", { level: levelName(puzzle.summary?.level) })}
        </p>
        <Trouble words={puzzle.asked.trouble.value} />
        <Verdict puzzle={puzzle} />
      </section>
    </Table>
  );
}

/** The last try, and the answer once it is known. */
function Verdict({ puzzle }: { puzzle: Puzzle }) {
  const tried = puzzle.tried.value;
  const answer = puzzle.answer.value;
  const reason = answer?.reasons.map((one) => one.text).join(" ");
  const how = say(puzzle.summary?.exact ? "puzzle.exact" : "puzzle.searched");
  const study = () => {
    tab.set(IMPORTED, puzzle.file);
    go(["study", "file"]);
  };
  return (
    <div aria-live="polite">
      {tried && !tried.verdict.right && !answer && (
        <>
          <p key={tried.number}>
            {rich("puzzle.wrong", { what: <b>{tried.label}</b>, loss: text.share(tried.verdict.loss) })}
          </p>
          <button type="button" onClick={() => void puzzle.giveUp()}>
            {say("puzzle.show_better")}
          </button>
        </>
      )}
      {answer && (
        <>
          <p>
            {tried?.verdict.right && say("puzzle.right")}
            {tried && !tried.verdict.right && rich("puzzle.better", { what: tried.label })}{" "}
            <b>{planOf(answer.plan) || labelOf(answer.answer)}</b>
            {reason ? `: ${reason}` : "."} {say("puzzle.next_best", { loss: text.share(answer.nextBestLoss), how })}
          </p>
          <button type="button" onClick={study}>
            {say("puzzle.study")}
          </button>
        </>
      )}
    </div>
  );
}

/** Links to the next puzzle, of any kind or of one, and to the next step of the path. */
function Next({ puzzle, known }: { puzzle: Puzzle; known: readonly PuzzleSummary[] }) {
  const { game } = puzzle;
  const levels = [...new Set(known.map((one) => one.level))].sort((a, b) => a - b);
  const solved = useMemo(() => solvedOnes(game), [puzzle.done.value]);
  const first = firstTries(game);
  const chosen = among(known, game, wanted.value);
  const next = following(known, game, wanted.value, puzzle.number);
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
