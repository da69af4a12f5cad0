// A game that the server keeps.

import { signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { games as service, wordsOf } from "../api.ts";
import { GameStatus, type GameView, Hints as HintsOption } from "../gen/clerestory/v1/games_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { type LegalAction, TurnKind } from "../gen/clerestory/v1/rules_pb.ts";
import type { Question } from "../hints.ts";
import { Kept } from "../kept.ts";
import { Trouble } from "../parts.tsx";
import { link } from "../route.ts";
import { actor, colourName, looks, seatOf } from "../seats.ts";
import { text } from "../text.ts";
import { notice } from "../title.ts";
import { Ending } from "./ending.tsx";
import { Seats, Share } from "./people.tsx";
import { Shown } from "./shown.tsx";
import { Table } from "./table.tsx";
import { Waiting } from "./waiting.tsx";

export function GameScreen({ id }: { id: string }) {
  const kept = useMemo(() => new Kept(id), [id]);
  useEffect(() => () => kept.close(), [kept]);
  const game = kept.game.value;
  if (kept.failed.value)
    return (
      <main class="page">
        <Trouble words={kept.failed.value} />
        <a href="#/">To the lobby</a>
      </main>
    );
  if (!game)
    return (
      <main class="page">
        <Trouble words={kept.broken.value} />
        <p aria-busy="true">Opening the game…</p>
      </main>
    );
  notice(kept.myTurn.value && !game.end, game.gameId);
  if (game.status === GameStatus.OPEN) return <Waiting kept={kept} game={game} />;
  return <Played kept={kept} />;
}

const NONE: LegalAction[] = [];

interface Earlier {
  game: string;
  /** The displayed ply. */
  ply: number;
  /** Its position; until that has arrived, the previous one. */
  position: Position;
}

const earlier = signal<Earlier | undefined>(undefined);

/** Show the position of an earlier ply in a seat's view; the latest request counts, in whatever order answers arrive. */
async function lookBack(kept: Kept, wanted: Earlier, seat: number | undefined): Promise<void> {
  earlier.value = wanted;
  try {
    const { views } = await service.getGame({ gameId: kept.id, tokens: kept.tokens, ply: wanted.ply });
    const position = (views.find((one) => one.seat === seat) ?? views[0])?.position;
    if (position && earlier.value === wanted) earlier.value = { ...wanted, position };
  } catch (error) {
    if (earlier.value === wanted) earlier.value = undefined;
    kept.refused.value = wordsOf(error);
  }
}

function Played({ kept }: { kept: Kept }) {
  const game = kept.game.value;
  const log = kept.log.value;
  const sharing = useSignal(false);
  const seating = useSignal(false);
  const secrets = useSignal(false);
  const seats = useComputed(() => looks(kept.game.value?.seats ?? []));
  const applied = useComputed(() =>
    kept.log.value.map(({ what }) => (what.case === "applied" ? what.value : undefined)),
  );
  const mine = kept.mine.value;
  const many = mine.length > 1; // people share this screen: private knowledge is shown on request
  const decider = kept.myTurn.value ? kept.turn.value : undefined;
  const view = many && !secrets.value ? kept.viewOf(undefined) : kept.view.value;
  const deciding = kept.viewOf(decider ?? mine[0]);
  const past = earlier.value?.game === kept.id && earlier.value.ply < log.length ? earlier.value : undefined;
  const position = past?.position ?? view?.position;
  if (!game || !position) return <p>This game cannot be shown here.</p>;
  const go = (ply: number) => {
    const to = Math.min(Math.max(ply, 0), log.length);
    if (to === log.length) earlier.value = undefined;
    else void lookBack(kept, { game: kept.id, ply: to, position }, view?.seat);
  };
  const question = past ? undefined : asked(kept, view); // information hidden on a shared screen stays hidden in hints
  const barred = hintsBarred(game.options?.hints, game.end !== undefined);
  const back = kept.mayTakeBack.value;
  return (
    <Table
      version={game.version}
      position={position}
      seats={seats.value}
      viewer={view?.seat}
      actions={past || game.end ? NONE : (deciding?.actions ?? NONE)}
      busy={kept.busy.value}
      onAction={(action) => void kept.play(action)}
      turn={turnWords(kept, past?.ply)}
      myTurn={kept.myTurn.value && !past}
      question={question}
      barred={barred}
      applied={applied.value}
      at={past?.ply ?? log.length}
      since={kept.lastMine.value}
      onGo={go}
      onTakeBack={back ? () => void kept.takeBack() : undefined}
      menu={
        <>
          {back && (
            <button type="button" aria-disabled={kept.takingBack.value} onClick={() => void kept.takeBack()}>
              {kept.takingBack.value ? "Taking back…" : "Take back"} <kbd>u</kbd>
            </button>
          )}
          {many && (
            <button type="button" aria-pressed={secrets.value} onClick={() => (secrets.value = !secrets.value)}>
              {secrets.value ? "Hide secrets" : "Show secrets"}
            </button>
          )}
          <button type="button" onClick={() => (seating.value = true)}>
            Players
          </button>
          <button type="button" onClick={() => (sharing.value = true)}>
            Share
          </button>
          <a class="button" href={link("study", "game", kept.id, past?.ply ?? log.length)}>
            Study
          </a>
          <a class="button" href="#/">
            Lobby
          </a>
        </>
      }
    >
      <Trouble words={kept.broken.value && `${kept.broken.value} Trying again…`} />
      <Trouble words={kept.refused.value} />
      <TakeBackAsked kept={kept} />
      <Shown kept={kept} />
      {game.end && <Ending end={game.end} seats={seats.value} game={kept.id} />}
      {past && (
        <p class="notice">
          You are looking at an earlier moment.{" "}
          <button type="button" onClick={() => go(log.length)}>
            To the present
          </button>
        </p>
      )}
      {sharing.value && <Share kept={kept} onClose={() => (sharing.value = false)} />}
      {seating.value && <Seats kept={kept} onClose={() => (seating.value = false)} />}
    </Table>
  );
}

/** The request for a hint: the position of a view, whoever is to decide. */
function asked(kept: Kept, view: GameView | undefined): Question | undefined {
  const game = kept.game.value;
  const seat = seatOf(game?.turn); // there are no hints at chance events
  if (!view?.position || seat === undefined || game?.end || kept.busy.value) return undefined;
  const about = { position: view.position, seat, game: kept.id };
  return view.seat === seat ? about : { ...about, observer: view.seat === undefined ? {} : { seat: view.seat } };
}

function hintsBarred(option: HintsOption | undefined, over: boolean): string | undefined {
  if (option === HintsOption.NEVER) return "This game is played without hints.";
  return option === HintsOption.AFTERWARDS && !over ? "Hints come when the game is over." : undefined;
}

function turnWords(kept: Kept, past: number | undefined): string {
  const game = kept.game.value;
  if (past !== undefined) return text.ply(past);
  if (!game || game.end) return "The game is over";
  const turn = game.turn;
  if (turn?.kind === TurnKind.NATURE) return game.options?.table ? "Enter what was revealed" : "Chance decides";
  const seats = looks(game.seats);
  const away = kept.away(game.seats[kept.turn.value ?? -1]);
  if (!kept.myTurn.value) return `${actor(turn, seats)} is to move${away ? ", and is away" : ""}`;
  return kept.mine.value.length > 1 ? `Your turn, ${actor(turn, seats)}` : text.yourTurn;
}

/** Somebody proposes a take-back. */
function TakeBackAsked({ kept }: { kept: Kept }) {
  const question = kept.game.value?.takeBack;
  if (!question) return null;
  const asks = colourName(question.seat);
  const mayAnswer = question.missing.some((seat) => kept.mine.value.includes(seat));
  return (
    <div class="notice" role="alert">
      <p>
        {asks} asks to go back to move {question.ply}.
      </p>
      {mayAnswer ? (
        <>
          <button type="button" onClick={() => void kept.answer(question.ply)}>
            Agree
          </button>{" "}
          <button type="button" onClick={() => void kept.answer(question.ply, true)}>
            Decline
          </button>
        </>
      ) : (
        <p>Waiting for the others to agree.</p>
      )}
    </div>
  );
}
