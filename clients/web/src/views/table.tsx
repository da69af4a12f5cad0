// The parts shared by games and studies: the board, the seat with its goods and actions, hints, the log, and their keys.

import { create } from "@bufbuild/protobuf";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { bestGain } from "../boards/cathedral/best.ts";
import { Board, isDrawn } from "../boards/index.tsx";
import { Purse, type Standing } from "../boards/purse.tsx";
import { summary } from "../boards/summary.ts";
import type { Catalogue, Mark, SeatLook } from "../boards/types.ts";
import { useFocusKept } from "../browser/focus.ts";
import { pressed } from "../browser/keys.ts";
import { ExplainButtons, Explainer, explain } from "../explain/index.tsx";
import * as hints from "../game/hints.ts";
import { inside } from "../game/inside.ts";
import { filledIn, planned as inPlan, isPlanned, Plan } from "../game/plan.ts";
import { preview } from "../game/preview.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import {
  type AnyPosition,
  AnyPositionSchema,
  type AppliedAction,
  type LegalAction,
} from "../gen/clerestory/v1/rules_pb.ts";
import { BACK, ON, say } from "../language/texts.ts";
import { Trouble } from "../parts/parts.tsx";
import { useCatalogue } from "../service/catalogues.ts";
import { Actions } from "./actions.tsx";
import { Help } from "./help.tsx";
import { Hints } from "./hints.tsx";
import { inWords, toggleWords } from "./inwords.ts";
import { Log } from "./log.tsx";
import { PlanPanel } from "./plan.tsx";
import { Status } from "./status.tsx";

export interface TableProps {
  /** A version number that grows with every change. */
  version: number;
  position: Position;
  /** The same, where more is known than a seat can know. */
  whole?: AnyPosition;
  /** The points of each seat in it, as the service says them. */
  points: readonly number[];
  /** How all stood before the last change. */
  was?: Standing | undefined;
  seats: readonly SeatLook[];
  /** The seat that is the reader's own. */
  viewer?: number | undefined;
  /** The seat whose goods are shown beside the actions, and explained; not set for an onlooker. */
  seat?: number | undefined;
  actions: readonly LegalAction[];
  busy: boolean;
  onAction(text: string): void;
  /** Play a plan, whose actions are all known; `planned` names what is planned, for a tab that is opened again. */
  onPlan?: ((actions: string[]) => void) | undefined;
  planned?: string;
  /** Whose turn it is, in words. */
  turn: string;
  /** The time that is left for a move. */
  clock?: ComponentChildren;
  myTurn: boolean;
  question: hints.Question | undefined;
  barred?: string | undefined;
  applied: readonly (AppliedAction | undefined)[];
  at: number;
  since?: number;
  /** The announcement, if more happened at once than the latest events. */
  heard?: string;
  /** The latest events. */
  news: string;
  /** A number that is another for other news: equal words that come again are spoken again. */
  newsAt: number;
  /** The marks of a review on actions, by the ply they led to. */
  glyphs?: ReadonlyMap<number, string> | undefined;
  onGo(ply: number): void;
  /** Whether one can see again what happened since one's own move. */
  replays?: boolean;
  /** Show it; not set where nothing happened. */
  onReplay?: (() => void) | undefined;
  onTakeBack?: (() => void) | undefined;
  /** More keys, and what they do. */
  keys?: Readonly<Record<string, () => void>>;
  /** The game has been ended early. */
  early?: boolean;
  /** The game has ended: the parts beside its actions are drawn again in another place, so that nothing jumps there. */
  over?: boolean;
  /** Shown above the actions: questions, errors. */
  children?: ComponentChildren;
  /** Shown before all else: the end. */
  above?: ComponentChildren;
  /** A review of the game, whose parts are around the board. */
  review?: ComponentChildren;
  /** Shown below the actions. */
  below?: ComponentChildren;
  menu?: ComponentChildren;
}

const NONE: readonly LegalAction[] = [];
const UNMARKED: readonly Mark[] = [];

export function Table(props: TableProps) {
  const pointed = useSignal<string | undefined>(undefined);
  const help = useSignal(false);
  const folded = useSignal(false);
  const reviewed = Boolean(props.review);
  useEffect(() => {
    folded.value = reviewed; // where the seat is a sheet, it would cover the report
  }, [reviewed]);
  const fresh = useFresh(props.actions);
  useLayoutEffect(() => {
    pointed.value = undefined; // a removed button sends no event when the pointer leaves it
  }, [props.actions]);
  useFocusKept();
  const game = props.position.game.case ?? "";
  const catalogue = useCatalogue(game);
  useKeys(props, () => {
    help.value = !help.value;
  });
  const shown = preview.value;
  const ghost = shown?.positions[shown.at];
  const asked = props.question !== undefined;
  const marks = useMemo(
    () => (asked ? hints.marks() : UNMARKED),
    [asked, props.actions, hints.table.value, hints.step.value],
  );
  const planning = usePlan(props, catalogue);
  const plan = planning?.open.value ? planning : undefined;
  const left = plan && leftBy(plan);
  const stage = props.over ? "over" : "played";
  const latest = useRef({ ...props, plan });
  latest.current = { ...props, plan };
  const act = useCallback((text: string) => {
    const { actions, busy, onAction, plan: open } = latest.current;
    const action = actions.find((one) => one.action?.text === text);
    if (busy || fresh.value || (action && open?.take(action))) return;
    onAction(text);
  }, []);
  const go = useCallback((ply: number) => latest.current.onGo(ply), []);
  const point = useCallback((text: string | undefined) => {
    pointed.value = text;
  }, []);
  return (
    <div class={`table ${props.above ? "ended" : ""} ${reviewed ? "reviewed" : ""}`} data-version={props.version}>
      <Status
        turn={props.turn}
        line={summary(props.position, catalogue, props.seats)}
        mine={props.myTurn}
        clock={props.clock}
        menu={
          <>
            {props.menu}
            {isDrawn(game) && (
              <button type="button" aria-pressed={inWords.value} onClick={toggleWords}>
                {say("menu.words")} <kbd>t</kbd>
              </button>
            )}
            <ExplainButtons />
            <button type="button" onClick={() => (help.value = true)}>
              {say("menu.help")} <kbd>h</kbd>
            </button>
          </>
        }
      />
      {props.review}
      <main class="middle" aria-busy={props.busy}>
        {props.above && (
          <div ref={show} class="above">
            {props.above}
          </div>
        )}
        <Board
          key={stage}
          position={ghost ?? props.position}
          previous={ghost ? props.position : props.was?.position}
          catalogue={catalogue}
          seats={props.seats}
          points={props.points}
          viewer={props.viewer}
          actions={ghost ? NONE : props.actions}
          marks={ghost ? UNMARKED : marks}
          pointed={pointed.value}
          early={props.early}
          ghost={ghost !== undefined}
          words={inWords.value}
          onAction={act}
          onPoint={point}
        />
      </main>
      <aside class="side">
        <section class={folded.value ? "seat folded" : "seat"} aria-label={say("seat")}>
          <div class="means pictured">
            {plan && <p class="left">{say("plan.left")}</p>}
            <Purse
              now={{ position: left ?? props.position, points: props.points }}
              was={left ? props : props.was}
              seats={props.seats}
              seat={props.seat}
            />
            <button
              type="button"
              class="fold"
              aria-expanded={!folded.value}
              aria-label={say("seat.fold")}
              onClick={() => (folded.value = !folded.value)}
            >
              {folded.value ? "▴" : "▾"}
            </button>
          </div>
          <div class="doing">
            <div class="notices">
              {props.children}
              <Trouble words={planning?.refused.value ? say("plan.none", { trouble: planning.refused.value }) : ""} />
            </div>
            {plan && (
              <PlanPanel
                plan={plan}
                position={props.position}
                catalogue={catalogue}
                busy={props.busy}
                fresh={fresh.value}
                onPlan={props.onPlan as (actions: string[]) => void}
              />
            )}
            {!plan && (props.seat !== undefined || props.actions.length > 0) && !props.above && (
              <Actions
                game={game}
                position={props.position}
                catalogue={catalogue}
                actions={props.actions}
                marks={marks}
                ranked={!props.barred && hints.ranked.value}
                pointed={pointed.value}
                busy={props.busy}
                fresh={fresh.value}
                news={props.news}
                onAction={act}
                onPoint={point}
              />
            )}
          </div>
        </section>
        <div key={stage} class="more">
          {props.below}
          <Hints
            question={props.question}
            seats={props.seats}
            barred={props.barred}
            pointed={pointed.value}
            onPoint={point}
          />
          <Log
            applied={props.applied}
            seats={props.seats}
            at={props.at}
            {...since(props)}
            glyphs={props.glyphs}
            onGo={go}
            replays={props.replays ?? false}
            onReplay={props.onReplay}
          />
        </div>
      </aside>
      <p class="unseen" aria-live="polite">
        <span key={props.newsAt}>{props.heard ?? props.news}</span>
      </p>
      <Explainer position={props.position} catalogue={catalogue} viewer={props.seat} actions={props.actions} />
      {help.value && <Help onClose={() => (help.value = false)} />}
    </div>
  );
}

/** Bring what comes up into sight, wherever the reader was: it is the first on the page, or above the board. */
function show(box: HTMLElement | null): void {
  if (box && box.getBoundingClientRect().top < 0) scrollTo(0, 0);
  box?.parentElement?.scrollTo(0, 0);
}

const since = ({ since: ply }: TableProps) => (ply === undefined ? {} : { since: ply });

/** The plan in progress, if actions are planned. */
function usePlan({ actions, position, whole, planned = "", onPlan }: TableProps, cards: Catalogue): Plan | undefined {
  const wanted = onPlan !== undefined && isPlanned(position, actions);
  const plan = useMemo(() => {
    inPlan.value = [];
    filledIn.value = [];
    const seen = whole ?? create(AnyPositionSchema, { kind: { case: "position", value: position } });
    return wanted ? new Plan(seen, planned) : undefined;
  }, [wanted, actions, planned]);
  useEffect(() => () => plan?.close(), [plan]);
  useEffect(() => {
    if (cards.known) plan?.suggest(bestGain(position, cards).uses);
  }, [plan, cards.known]);
  return plan;
}

/** What a plan leaves; undefined if it changes nothing. */
function leftBy({ answer: { value: answer } }: Plan): Position | undefined {
  return answer?.position && answer.changes.length ? inside(answer.position) : undefined;
}

const FRESH = 350; // milliseconds too short to read new actions: a click on them was meant for the old ones

/** Whether the actions have just replaced others. */
function useFresh(actions: readonly LegalAction[]) {
  const fresh = useSignal(false);
  const first = useRef(true);
  useLayoutEffect(() => {
    if (first.current || !actions.length) {
      first.current = false;
      fresh.value = false;
      return undefined;
    }
    fresh.value = true;
    const timer = setTimeout(() => {
      fresh.value = false;
    }, FRESH);
    return () => clearTimeout(timer);
  }, [actions]);
  return fresh;
}

/** The keys of the table. */
function useKeys(props: TableProps, help: () => void): void {
  const last = props.applied.length;
  const keys: Record<string, () => void> = {
    [BACK.value]: () => props.onGo(props.at - 1),
    [ON.value]: () => props.onGo(props.at + 1),
    Home: () => props.onGo(0),
    End: () => props.onGo(last),
    "?": () => hints.choose(hints.STEPS[(hints.STEPS.indexOf(hints.step.value) + 1) % hints.STEPS.length] ?? "off"),
    u: () => props.onTakeBack?.(),
    h: help,
    i: explain,
    t: toggleWords,
    "/": () => document.getElementById("search")?.focus(),
    a: () => document.querySelector<HTMLElement>(".actions button:not([aria-disabled='true'])")?.focus(),
    ...props.keys,
  };
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = pressed(event);
      const act = keys[key];
      if (!act || (event.repeat && key !== BACK.value && key !== ON.value)) return; // held down, only these step on
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}
