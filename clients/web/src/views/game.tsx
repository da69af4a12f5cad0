// A game that the server keeps.

import { type Signal, useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { actor, colourName, looks, seatOf } from "../boards/seats.ts";
import type { SeatLook } from "../boards/types.ts";
import { link } from "../browser/route.ts";
import { Ending } from "../ending/ending.tsx";
import { FirstGames, objects } from "../first/index.tsx";
import { answerWorker, renew } from "../game/bell.ts";
import type { Question } from "../game/hints.ts";
import { Kept } from "../game/kept.ts";
import { endNewsOf, newsOf } from "../game/news.ts";
import { earlier, lookBack, pastOf, replay, toPresent } from "../game/past.ts";
import { forget } from "../game/plan.ts";
import { viewIn } from "../game/states.ts";
import { notice } from "../game/title.ts";
import {
  EndReason,
  type Game,
  GameStatus,
  type GameView,
  Hints as HintsOption,
  SeatKind,
} from "../gen/clerestory/v1/games_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { type LegalAction, TurnKind } from "../gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "../language/labels.ts";
import { capital, say } from "../language/texts.ts";
import { offline } from "../offline/switch.ts";
import { Button } from "../parts/button.tsx";
import { Blank } from "../parts/opening.tsx";
import { Trouble } from "../parts/parts.tsx";
import { retried } from "../service/insist.ts";
import { useSounds } from "../sounds/sounds.ts";
import { Clock } from "./clock.tsx";
import { KeepDraws } from "./draws.tsx";
import { useFlights } from "./flights.ts";
import { Seats, Share } from "./people.tsx";
import { mayTalk, Spoken, Talk } from "./phrases.tsx";
import { RoundCard } from "./round.tsx";
import { Shown } from "./shown.tsx";
import { Table } from "./table.tsx";
import { useBegun, Waiting } from "./waiting.tsx";

/** `game/ID`. */
export default function GameScreen({ words: [id = ""] }: { words: string[] }) {
  const kept = useMemo(() => new Kept(id), [id]);
  useEffect(() => () => kept.close(), [kept]);
  useEffect(() => toPresent, [kept]);
  useEffect(() => answerWorker(id), [id]);
  useEffect(() => renew(kept), [kept.pushKey.value, kept.myTurn.value]);
  const game = kept.game.value;
  const begun = useBegun(game?.status);
  if (kept.failed.value)
    return (
      <Blank>
        <Trouble words={kept.failed.value} />
      </Blank>
    );
  if (!game)
    return (
      <main class="page">
        <Trouble words={kept.broken.value} />
        <p aria-busy="true">{say("opening.game")}</p>
      </main>
    );
  notice(newsFor(kept, game, begun), game.gameId, kept.myTurn.value);
  if (game.status === GameStatus.OPEN) return <Waiting kept={kept} game={game} />;
  return <Played kept={kept} game={game} />;
}

/** The title of the tab while the user looks elsewhere. */
function newsFor(kept: Kept, game: Game, begun: boolean): string {
  if (kept.myTurn.value && !game.end) return say("your_turn");
  return begun ? say("game.begun") : "";
}

const NONE: LegalAction[] = [];

/** The dialog that is open. */
type Opened = "" | "players" | "share" | "talk";

function Played({ kept, game }: { kept: Kept; game: Game }) {
  const log = kept.log.value;
  const secrets = useSignal(false);
  const opened = useSignal<Opened>("");
  const seats = useComputed(() => looks(kept.game.value?.seats ?? []));
  const applied = useComputed(() =>
    kept.log.value
      .slice(0, kept.round.over.value?.plies) // the next round comes after the card of the last
      .map(({ what }) => (what.case === "applied" ? what.value : undefined)),
  );
  const last = applied.value.length;
  const notes = useComputed(
    () =>
      new Map(
        kept.log.value
          .filter((entry) => entry.forced || entry.playedOn)
          .map((entry) => [entry.ply, say(entry.forced ? "log.forced" : "log.timed_out")]),
      ),
  );
  const mine = kept.mine.value;
  useFlights(applied.value);
  useSounds({
    applied: applied.value,
    mine: kept.myTurn.value && !kept.round.over.value,
    over: game.end !== undefined,
  });
  const hidden = mine.length > 1 && !secrets.value; // people share this screen: private knowledge is shown on request
  const decider = kept.myTurn.value ? kept.turn.value : undefined;
  const view = hidden ? kept.viewOf(undefined) : kept.view.value;
  const deciding = kept.viewOf(decider ?? mine[0]);
  const past = pastOf(kept);
  const since = kept.lastMeant.value;
  const unheard = useUnheard(last);
  useEffect(() => {
    if (!past) toPresent(); // the position in view has been taken back
  }, [earlier.value, log]);
  const closing = past ? undefined : kept.round.over.value; // its card tells about what the table shows
  const shown = past?.shown ?? viewIn(closing?.views ?? [], view?.seat) ?? view;
  const stopped = game.end !== undefined && !past;
  const known = shown?.position;
  const position = useMemo(() => known && (stopped ? over(known) : known), [known, stopped]);
  if (!shown || !position) return <NoView game={game} />;
  const go = (ply: number) => {
    const to = Math.min(Math.max(ply, 0), last);
    if (to === last) toPresent();
    else void lookBack(kept, to, shown, view?.seat);
  };
  const replaced = kept.turn.value !== undefined && !kept.myTurn.value; // a bot decides, maybe for a seat of mine
  const present = game.end || replaced ? NONE : (deciding?.actions ?? NONE);
  const actions = past || closing ? NONE : present;
  const plan = `${kept.id}:${game.ply}`;
  const play = async ([first = "", ...more]: readonly string[]) => {
    if (await kept.play(first, more)) forget(plan);
  };
  const question = past || closing ? undefined : asked(kept, view); // information hidden on a shared screen stays hidden in hints
  const barred = hintsBarred(game.options?.hints, game.end !== undefined);
  const again = () => void replay(kept, since, shown, view?.seat);
  const moment = (ply: number) => void replay(kept, ply - 1, shown, view?.seat, ply);
  const mayReplay = mine.length > 0 && since < last;
  return (
    <Table
      version={game.version}
      position={position}
      points={shown.points}
      was={past || closing ? past?.was : viewIn(kept.state.value.before, view?.seat)}
      seats={seats.value}
      viewer={view?.seat}
      seat={decider ?? mine[0]}
      actions={actions}
      busy={kept.busy.value}
      onAction={(action) => objects.value([action]) || void play([action])}
      onPlan={(actions) => objects.value(actions) || void play(actions)}
      planned={plan}
      turn={closing ? say("turn.round") : turnWords(kept, past?.ply)}
      clock={<Clock game={game} seats={seats.value} />}
      over={game.end !== undefined}
      early={stopped && game.end?.reason !== EndReason.PLAYED}
      myTurn={kept.myTurn.value && !past && !closing}
      question={question}
      barred={barred}
      applied={applied.value}
      at={past?.ply ?? last}
      since={since}
      glyphs={notes.value}
      newsAt={last}
      news={past ? "" : news(kept, game, applied.value.slice(-1), seats.value)}
      heard={past ? "" : news(kept, game, applied.value.slice(unheard), seats.value)}
      onGo={go}
      replays={mine.length > 0}
      onReplay={mayReplay ? again : undefined}
      onTakeBack={kept.mayTakeBack.value && !kept.revealed.value ? () => void kept.takeBack() : undefined}
      keys={{ s: kept.pace.skip, r: () => mayReplay && again() }}
      menu={<Menu kept={kept} at={past?.ply ?? log.length} secrets={secrets} opened={opened} />}
      above={game.end && !past && <Ending kept={kept} game={game} seats={seats.value} onReplay={moment} />}
    >
      <Trouble words={retried(kept.broken.value)} />
      <Trouble words={kept.refused.value} />
      <TakeBackAsked kept={kept} />
      <Shown kept={kept} />
      {past && <Note words={say("game.past")} button={say("game.present")} onPress={() => go(last)} />}
      {kept.pace.waiting.value && !closing && (
        <Note words={say("game.following")} button={say("game.skip")} onPress={kept.pace.skip} />
      )}
      {!game.end &&
        kept.standIns.value.map((seat) => (
          <Note
            key={seat}
            words={say("players.bot_plays", { who: colourName(seat) })}
            button={say("players.take_back")}
            onPress={() => void kept.setSeat(seat, SeatKind.PERSON)}
          />
        ))}
      <KeepDraws kept={kept} actions={actions} position={position} />
      <FirstGames
        game={game.game}
        step={view?.position && !closing && decides(kept, present) ? decisionOf(view.position, present) : ""}
        question={barred || !decides(kept, actions) ? undefined : question}
        onPlay={(actions) => void play(actions)}
      />
      {closing && <RoundCard over={closing} position={shown.position} seats={seats.value} onClose={kept.round.close} />}
      {kept.asking.value && <p class="muted">{say("game.asking")}</p>}
      {opened.value === "share" && <Share kept={kept} game={game} onClose={() => (opened.value = "")} />}
      {opened.value === "talk" && <Talk kept={kept} onClose={() => (opened.value = "")} />}
      <Spoken kept={kept} seats={seats.value} />
      {opened.value === "players" && <Seats kept={kept} game={game} onClose={() => (opened.value = "")} />}
    </Table>
  );
}

const MOST_HEARD = 20; // actions at once

/** The first action that was not announced; when a game is opened, the last one is announced only. */
function useUnheard(length: number): number {
  const heard = useRef({ from: Math.max(length - 1, 0), to: length });
  if (heard.current.to !== length) {
    const from = Math.max(Math.min(heard.current.to, length - 1), length - MOST_HEARD, 0);
    heard.current = { from, to: length };
  }
  return heard.current.from;
}

/** Some events in words: actions, unless players ended the game after them, and how it ended. */
function news(kept: Kept, game: Game, applied: Parameters<typeof newsOf>[0], seats: readonly SeatLook[]): string {
  if (!game.end) return newsOf(applied, seats, kept.myTurn.value && !kept.round.over.value);
  const last = game.end.reason === EndReason.PLAYED ? newsOf(applied, seats, false) : "";
  return [last, endNewsOf(game.end, seats)].filter(Boolean).join(" ");
}

/** Whether a player here has a decision. */
const decides = (kept: Kept, actions: readonly LegalAction[]) => kept.myTurn.value && actions.length > 1;

/** A position without further actions: a game that is given up ends at any step. */
function over(position: Position): Position {
  const { game } = position;
  if (game.case === "cathedral") return { ...position, game: { ...game, value: { ...game.value, ...OVER } } };
  return game.case === "duel" ? { ...position, game: { ...game, value: { ...game.value, ...OVER } } } : position;
}

const OVER = { step: "over", toAct: "" };

/** A game without a view, as one that is frozen when it is opened. */
const NoView = ({ game }: { game: Game }) => (
  <Blank>
    <p>{say("game.no_view")}</p>
    {game.status === GameStatus.FROZEN && <Trouble words={capital(say("lobby.frozen", { why: game.frozenReason }))} />}
  </Blank>
);

/** The step of a position; where a draft leaves a craftsman too many, that at which craftsmen leave. */
function decisionOf({ game }: Position, actions: readonly LegalAction[]): string {
  const step = (game.value as { step?: string } | undefined)?.step ?? "";
  return step === "draft" && actions.every(({ kind }) => kind === "dismiss") ? "shiring" : step;
}

/** A remark with a button. */
const Note = ({ words, button, onPress }: { words: string; button: ComponentChildren; onPress(): void }) => (
  <p class="notice">
    {words}{" "}
    <button type="button" onClick={onPress}>
      {button}
    </button>
  </p>
);

interface MenuProps {
  kept: Kept;
  at: number;
  /** Whether private knowledge is shown. */
  secrets: Signal<boolean>;
  opened: Signal<Opened>;
}

function Menu({ kept, at, secrets, opened }: MenuProps) {
  const game = kept.game.value;
  return (
    <>
      {kept.mayTakeBack.value && (
        <Button off={kept.takingBack.value || kept.revealed.value} onPress={() => void kept.takeBack()}>
          {say(kept.takingBack.value ? "menu.taking_back" : "menu.take_back")} <kbd>u</kbd>
        </Button>
      )}
      {kept.mine.value.length > 1 && (
        <button
          type="button"
          aria-pressed={secrets.value}
          onClick={() => {
            secrets.value = !secrets.value;
            toPresent(); // an earlier position is shown as it was asked for, with what is private or without
          }}
        >
          {say(secrets.value ? "menu.hide" : "menu.show")}
        </button>
      )}
      <button type="button" onClick={() => (opened.value = "players")}>
        {say("menu.players")}
      </button>
      {game && mayTalk(kept, game) && (
        <button type="button" onClick={() => (opened.value = "talk")}>
          {say("phrases")}
        </button>
      )}
      {!offline && (
        <>
          <button type="button" onClick={() => (opened.value = "share")}>
            {say("menu.share")}
          </button>
          <a class="button" href={link("study", "game", kept.id, at)}>
            {say("menu.study")}
          </a>
        </>
      )}
      <a class="button" href="#/">
        {say("menu.lobby")}
      </a>
    </>
  );
}

/** The request for a hint: the position of a view, for any deciding seat. */
function asked(kept: Kept, view: GameView | undefined): Question | undefined {
  const game = kept.game.value;
  const seat = seatOf(game?.turn); // there are no hints at chance events
  if (!view?.position || seat === undefined || game?.end || kept.busy.value) return undefined;
  const about = { position: view.position, seat, game: kept.id };
  return view.seat === seat ? about : { ...about, observer: view.seat === undefined ? {} : { seat: view.seat } };
}

function hintsBarred(option: HintsOption | undefined, over: boolean): string | undefined {
  if (option === HintsOption.NEVER) return say("hints.never");
  if (over) return say(offline ? "turn.over" : "hints.over");
  return option === HintsOption.AFTERWARDS ? say("hints.afterwards") : undefined;
}

function turnWords(kept: Kept, past: number | undefined): string {
  const game = kept.game.value;
  if (past !== undefined) return say("turn.past", { ply: past });
  if (!game || game.end) return say("turn.over");
  const turn = game.turn;
  if (turn?.kind === TurnKind.NATURE) return say(game.options?.table ? "turn.enter" : "turn.chance");
  const who = actor(turn, looks(game.seats));
  if (kept.myTurn.value) return kept.mine.value.length > 1 ? say("turn.yours", { who }) : say("your_turn");
  return say(kept.away(game.seats[kept.turn.value ?? -1]) ? "turn.away" : "turn.other", { who });
}

/** A take-back that a player proposes, or has declined. */
function TakeBackAsked({ kept }: { kept: Kept }) {
  const game = kept.game.value;
  const question = game?.takeBack;
  if (!question) return <Declined kept={kept} />;
  const who = looks(game.seats)[question.seat]?.name ?? "";
  const { ply } = question;
  const asks = kept.mine.value.includes(question.seat);
  const undone = undoneBy(kept, ply);
  const mayAnswer = question.missing.some((seat) => kept.mine.value.includes(seat));
  const busy = kept.busy.value;
  return (
    <div class="notice" role="alert">
      <p>{asks ? say("back.own", { ply }) : say("back.asked", { who, ply })}</p>
      {undone && <p>{say("back.undoes", { what: undone })}</p>}
      {mayAnswer ? (
        <>
          <Button off={busy} onPress={() => void kept.answer(ply)}>
            {say("back.agree")}
          </Button>{" "}
          <Button off={busy} onPress={() => void kept.answer(ply, true)}>
            {say("back.decline")}
          </Button>
        </>
      ) : (
        <p>
          {say("back.waiting")}{" "}
          {asks && (
            <Button off={busy} onPress={() => void kept.answer(ply, true)}>
              {say("back.withdraw")}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** What people and bots have done since a ply, in words. */
function undoneBy(kept: Kept, ply: number): string {
  const seats = looks(kept.game.value?.seats ?? []);
  const told = kept.log.value.slice(ply).flatMap(({ what }) => {
    const seat = what.case === "applied" ? seats[seatOf(what.value.turn) ?? -1] : undefined;
    return seat && what.case === "applied" ? [say("with", { name: seat.name, what: labelOf(what.value.action) })] : [];
  });
  return told.join("; ");
}

/** Who has declined, for everybody else. */
function Declined({ kept }: { kept: Kept }) {
  const seat = kept.declined.value;
  if (seat === undefined || kept.mine.value.includes(seat)) return null;
  return (
    <p class="notice" role="alert">
      {say("back.declined", { who: looks(kept.game.value?.seats ?? [])[seat]?.name ?? "" })}
    </p>
  );
}
