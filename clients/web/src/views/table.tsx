// The parts shared by games and studies: the board, the actions, hints, the log, and their keys.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Board, isDrawn, toggleWords } from "../boards/index.tsx";
import { summary } from "../boards/summary.ts";
import type { Mark, SeatLook } from "../boards/types.ts";
import { catalogueFor, EMPTY } from "../catalogue.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { AppliedAction, LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import * as hints from "../hints.ts";
import { preview } from "../preview.ts";
import { Actions } from "./actions.tsx";
import { Help } from "./help.tsx";
import { Hints } from "./hints.tsx";
import { Log } from "./log.tsx";

export interface TableProps {
  /** A version number that grows with every change. */
  version: number;
  position: Position;
  previous?: Position | undefined;
  seats: readonly SeatLook[];
  viewer?: number | undefined;
  actions: readonly LegalAction[];
  busy: boolean;
  onAction(text: string): void;
  /** Whose turn it is, in words. */
  turn: string;
  myTurn: boolean;
  question: hints.Question | undefined;
  barred?: string | undefined;
  applied: readonly (AppliedAction | undefined)[];
  at: number;
  since?: number;
  /** The marks of a review on actions, by the ply they led to. */
  glyphs?: ReadonlyMap<number, string> | undefined;
  onGo(ply: number): void;
  onTakeBack?: (() => void) | undefined;
  /** Shown above the actions: the end, questions, errors. */
  children?: ComponentChildren;
  menu?: ComponentChildren;
}

const NONE: readonly LegalAction[] = [];
const UNMARKED: readonly Mark[] = [];

export function Table(props: TableProps) {
  const pointed = useSignal<string | undefined>(undefined);
  const help = useSignal(false);
  const catalogue = useSignal(EMPTY);
  const game = props.position.game.case ?? "";
  useEffect(() => {
    void catalogueFor(game).then((found) => {
      catalogue.value = found;
    });
  }, [game]);
  useKeys(props, () => {
    help.value = !help.value;
  });
  const shown = preview.value;
  const ghost = shown?.positions[shown.at];
  const asked = props.question !== undefined;
  const marks = useMemo(
    () => (asked ? hints.marks(props.actions) : UNMARKED),
    [asked, props.actions, hints.table.value, hints.step.value],
  );
  const latest = useRef(props);
  latest.current = props;
  const act = useCallback((text: string) => latest.current.busy || latest.current.onAction(text), []);
  const go = useCallback((ply: number) => latest.current.onGo(ply), []);
  const point = useCallback((text: string | undefined) => {
    pointed.value = text;
  }, []);
  const line = summary(props.position, catalogue.value);
  return (
    <div class="table" data-version={props.version}>
      <header class={props.myTurn ? "status mine" : "status"}>
        <h1 class="turn">{props.turn}</h1>
        <p>{line}</p>
        <div class="menu">
          {props.menu}
          {isDrawn(game) && (
            <button type="button" onClick={toggleWords}>
              Words <kbd>t</kbd>
            </button>
          )}
          <button type="button" onClick={() => (help.value = true)}>
            Help <kbd>h</kbd>
          </button>
        </div>
      </header>
      <main class="middle" aria-busy={props.busy}>
        <Board
          position={ghost ?? props.position}
          previous={ghost ? props.position : props.previous}
          catalogue={catalogue.value}
          seats={props.seats}
          viewer={props.viewer}
          actions={ghost ? NONE : props.actions}
          marks={ghost ? UNMARKED : marks}
          pointed={pointed.value}
          ghost={ghost !== undefined}
          onAction={act}
          onPoint={point}
        />
      </main>
      <aside class="side">
        {props.children}
        <Actions
          actions={props.actions}
          marks={marks}
          ranked={!props.barred && hints.ranked.value}
          pointed={pointed.value}
          busy={props.busy}
          onAction={act}
          onPoint={point}
        />
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
        />
      </aside>
      <p class="unseen" aria-live="polite">
        {props.applied[props.applied.length - 1]?.action?.label}. {props.turn}. {line}
      </p>
      {help.value && <Help onClose={() => (help.value = false)} />}
    </div>
  );
}

const since = ({ since: ply }: TableProps) => (ply === undefined ? {} : { since: ply });

/** The keys, inactive while typing and with Ctrl, Alt or Meta. */
function useKeys(props: TableProps, help: () => void): void {
  const last = props.applied.length;
  const keys: Record<string, () => void> = {
    ArrowLeft: () => props.onGo(props.at - 1),
    ArrowRight: () => props.onGo(props.at + 1),
    Home: () => props.onGo(0),
    End: () => props.onGo(last),
    "?": () => hints.choose(hints.STEPS[(hints.STEPS.indexOf(hints.step.value) + 1) % hints.STEPS.length] ?? "off"),
    u: () => props.onTakeBack?.(),
    h: help,
    t: toggleWords,
    "/": () => document.getElementById("search")?.focus(),
    a: () => document.querySelector<HTMLElement>(".actions button")?.focus(),
  };
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const where = event.target as HTMLElement;
      if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
      if (where.matches("input, select, textarea") || localStorage.getItem("keys") === "off") return;
      const act = keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}
