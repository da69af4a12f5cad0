// A puzzle: find the one action that is clearly best.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { look, seatCount } from "../boards/seats.ts";
import { go, link, numberOf } from "../browser/route.ts";
import { tab } from "../browser/storage.ts";
import { forget } from "../game/plan.ts";
import type { PuzzleSummary } from "../gen/clerestory/v1/puzzle_pb.ts";
import { FILES } from "../gen/table.ts";
import { text } from "../language/text.ts";
import { learn, rich, say } from "../language/texts.ts";
import { Opening } from "../parts/opening.tsx";
import { SeatName, ToLobby, Trouble } from "../parts/parts.tsx";
import { mistakesOf } from "../path/mistakes.ts";
import { useLoaded } from "../service/loading.ts";
import { IMPORTED } from "../study/study.ts";
import { Table } from "../views/table.tsx";
import { posedMine } from "./mine.ts";
import { Next, NextMine } from "./next.tsx";
import { following, isSolved, listed, type Puzzle, posed, shipped, themes, want, wanted } from "./puzzle.ts";

/** `puzzle/GAME/NUMBER`, without a number the first that is not solved yet; `puzzle/GAME/mine/ID`, of one's own mistakes. */
export default function PuzzleScreen({ words: [game = "", kind, id] }: { words: string[] }) {
  return kind === "mine" ? <MyMistakes game={game} id={id} /> : <Shipped game={game} number={kind} />;
}

function Shipped({ game, number }: { game: string; number: string | undefined }) {
  const { found: puzzles, trouble } = useLoaded(game, () => load(game));
  useEffect(() => {
    if (wanted.value.theme && !themes(game).includes(wanted.value.theme)) want({ theme: "" }); // another game's
    if (!puzzles?.length || number) return;
    if (isSolved(puzzles, game, wanted.value)) want({ level: 0, theme: "" }); // it would lead nowhere
    go(["puzzle", game, following(puzzles, game, wanted.value, 0)], true);
  }, [puzzles, number]);
  if (puzzles?.length && number)
    return <Numbered key={`${game}/${number}`} game={game} number={numberOf(number)} known={puzzles} />;
  return puzzles && !puzzles.length ? <None words={say("puzzle.none")} /> : <Opening trouble={trouble} />;
}

async function load(game: string) {
  const [puzzles] = await Promise.all([listed(game), learn(FILES)]);
  return puzzles;
}

interface NumberedProps {
  game: string;
  number: number;
  known: readonly PuzzleSummary[];
}

function Numbered({ game, number, known }: NumberedProps) {
  const { found: puzzle, trouble } = useLoaded("", async () => posed(await shipped(game, number)));
  if (!puzzle) return <Opening trouble={trouble} />;
  return <Shown puzzle={puzzle} next={<Next puzzle={puzzle} number={number} known={known} />} />;
}

/** One of one's own mistakes; without a name, the next one. */
function MyMistakes({ game, id }: { game: string; id: string | undefined }) {
  const next = mistakesOf(game)[0]?.id;
  useEffect(() => {
    if (!id && next) go(["puzzle", game, "mine", next], true);
  }, [id]);
  return id ? <Mine key={id} game={game} id={id} /> : next ? null : <None words={say("puzzle.mine.none")} />;
}

function Mine({ game, id }: { game: string; id: string }) {
  const { found, trouble } = useLoaded("", async () => {
    const [puzzle] = await Promise.all([posedMine(game, id), learn(FILES)]);
    return { puzzle };
  });
  if (!found) return <Opening trouble={trouble} />;
  const { puzzle } = found;
  if (!puzzle) return <None words={say("puzzle.mine.none")} />;
  return <Shown puzzle={puzzle} next={<NextMine puzzle={puzzle} />} />;
}

const None = ({ words }: { words: string }) => (
  <main class="page">
    <p>{words}</p>
    <p class="row">
      <a class="button" href={link("path")}>
        {say("learn.path")}
      </a>
      <ToLobby />
    </p>
  </main>
);

function Shown({ puzzle, next }: { puzzle: Puzzle; next: ComponentChildren }) {
  const { points, actions, task } = puzzle;
  const { position, seat } = task;
  const seats = Array.from({ length: seatCount(position) }, (_, index) => look(index));
  const mine = seats[seat];
  const plan = `puzzle:${task.game}:${task.name}`;
  return (
    <Table
      version={0}
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
      turn={task.title(mine?.name ?? "")}
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
          {next}
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
          {mine && <SeatName look={mine} />}: {puzzle.question}
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
            {tried && !tried.verdict.right && rich("puzzle.better", { what: tried.label })} <b>{answer.answer}</b>
            {reason ? `: ${reason}` : "."} {answer.more}
          </p>
          <button type="button" onClick={study}>
            {say("puzzle.study")}
          </button>
        </>
      )}
    </div>
  );
}
