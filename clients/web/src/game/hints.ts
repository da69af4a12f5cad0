// Hints: an analysis that runs while it is needed, shown in four steps from nothing to the whole table.

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { computed, signal } from "@preact/signals";
import type { Mark } from "../boards/types.ts";
import { browser } from "../browser/storage.ts";
import type { AnalyzeResponse, Line, RecommendMoveResponse } from "../gen/clerestory/v1/advisor_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { say } from "../language/texts.ts";
import { advisor, isPassing, wordsOf } from "../service/api.ts";

/** How much is shown: nothing, where to look, the move, everything. */
export const STEPS = ["off", "where", "move", "table"] as const;
export type Step = (typeof STEPS)[number];

export interface Question {
  position: Position;
  /** The seat to decide; not set at a chance event. */
  seat?: number | undefined;
  /** Whose knowledge the position has, if not that of the seat to decide: another seat, or an onlooker. */
  observer?: { seat?: number } | undefined;
  /** Name of the game for the server's memory; empty for none. */
  game: string;
  /** Whether to estimate what one more of each good is worth. */
  rates?: boolean;
}

const SHOWN = 3; // best actions that a board marks
const EVERY = 50; // milliseconds between tables, so that the first arrives soon
const SHOWN_EVERY = 200; // milliseconds between displayed tables, so that people can read them
const STANDING = 400; // milliseconds that a position must last before it is analysed when it is another player's turn

/** The chosen step, stored for the next visit. */
export const step = signal<Step>(STEPS.find((one) => one === browser.get("hints")) ?? "off");
/** Seconds that an analysis runs. */
export const seconds = signal(Number(browser.get("hint-seconds")) || 5);
/** The latest table; the last one stays when its analysis ends. */
export const table = signal<RecommendMoveResponse | undefined>(undefined);
/** The latest win shares by seat; they stay until those of the next position arrive. */
export const shares = signal<readonly number[]>([]);
export const running = signal(false);
export const trouble = signal("");

/** Whether actions have room for a rank, even unmarked ones, so that nothing moves when tables arrive. */
export const ranked = computed(() => step.value === "move" || step.value === "table");
export const best = computed<Line | undefined>(() => table.value?.lines[0]);

let seen = ""; // name of the game that the win shares belong to
let current: { question: Question; stop: AbortController } | undefined;

export function choose(next: Step): void {
  step.value = next;
  browser.set("hints", next);
}

export function chooseSeconds(next: number): void {
  seconds.value = next;
  browser.set("hint-seconds", String(next));
}

/** End the analysis; its last table stays until `clear`. */
export function stop(): void {
  current?.stop.abort();
  current = undefined;
  running.value = false;
}

/** Remove the table, too: the position has changed. */
export function clear(): void {
  stop();
  table.value = undefined;
  trouble.value = "";
}

/** Remove the win shares, too: the game is no longer shown. */
export function forget(): void {
  clear();
  shares.value = [];
}

/** Analyse a position, and end any other analysis. */
export async function ask(question: Question): Promise<void> {
  clear();
  const mine = { question, stop: new AbortController() };
  current = mine;
  running.value = true;
  if (question.game !== seen) shares.value = [];
  seen = question.game;
  try {
    if (question.observer) await new Promise((resolve) => setTimeout(resolve, STANDING));
    if (current !== mine) return;
    let shown = 0;
    for await (const answer of analysed(question, 1000 * seconds.value, mine.stop.signal)) {
      if (current !== mine || (!answer.final && performance.now() - shown < SHOWN_EVERY)) continue;
      table.value = answer.recommendation;
      shares.value = best.value?.winShares ?? [];
      shown = performance.now();
    }
  } catch (error) {
    if (current === mine) trouble.value = isPassing(error) ? say("hints.unreachable") : wordsOf(error);
  } finally {
    if (current === mine) stop();
  }
}

/** The actions of an analysis: all but some, or only some. */
export interface Among {
  avoid?: readonly string[];
  consider?: readonly string[];
}

/** The tables of an analysis for some milliseconds, by default often; with `background` at low priority. */
export function analysed(
  { position, seat, observer, game, rates = false }: Question,
  milliseconds: number,
  signal: AbortSignal,
  {
    background = false,
    every = EVERY,
    avoid = [],
    consider = [],
  }: Among & { background?: boolean; every?: number } = {},
): AsyncIterable<AnalyzeResponse> {
  const time = durationFromMs(milliseconds);
  const question = {
    position,
    timeBudget: time,
    gameId: game,
    rates,
    avoidActions: [...avoid],
    considerActions: [...consider],
    ...(seat === undefined ? {} : { seat }),
  };
  const updateInterval = durationFromMs(every);
  return advisor.analyze({ question, updateInterval, background, ...(observer ? { observer } : {}) }, { signal });
}

/** The marks of a board at the chosen step; the best is the move to play, as in the table. */
export function marks(): Mark[] {
  const { lines = [], seat } = table.value ?? {};
  const first = best.value?.action?.text;
  if (step.value === "off" || first === undefined) return [];
  if (step.value === "where") return alike(first, lines).map((action) => ({ action }));
  if (step.value === "move") return [{ action: first, rank: 1, best: true }];
  return lines.slice(0, SHOWN).map((line, index) => mark(line, index + 1, seat));
}

function mark(line: Line, rank: number, seat: number | undefined): Mark {
  const share = seat === undefined ? undefined : line.winShares[seat];
  const figures = share === undefined || line.doubtful ? {} : { share };
  return { action: line.action?.text ?? "", rank, best: line === best.value, ...figures };
}

/** The best actions of the kind of a given one, to show where to look but not what to do. */
function alike(first: string, lines: readonly Line[]): string[] {
  const kind = first.split(" ")[0];
  const found = lines.map((line) => line.action?.text ?? "").filter((text) => text.split(" ")[0] === kind);
  return found.slice(0, SHOWN);
}
