// A search in this thread, in slices: of what one seat knows, and nothing else.

import { type Core, now } from "./core.ts";
import { EngineError } from "./errors.ts";
import { calibration, certainty, chosen, type Line, ranked } from "./lines.ts";

/** The position of a search, its options and its limits. */
export interface Question {
  /** Memory of the position as the observer knows it. */
  readonly view: Uint8Array;
  /** Whose knowledge it is: a seat, or -1 for an onlooker. */
  readonly observer: number;
  /** The seat to decide. */
  readonly seat: number;
  readonly seed: bigint;
  /** Infinity for no limit. */
  readonly iterations: number;
  /** As `now()`, seconds; infinity for none. */
  readonly deadline: number;
  /** Whether to end once nothing can change the best line. */
  readonly early: boolean;
  /** Level of play; 0 for full strength. */
  readonly level: number;
  readonly maxBytes: number;
  /** Seconds between two updates; infinity for none. */
  readonly every: number;
}

export type StopReason = "paused" | "iterations" | "decided" | "time" | "stopped";

/** The outcome of a search: a table of lines. */
export interface Recommendation {
  /** Text of the action to play; at a level, often not that of the first line. */
  readonly best: string;
  readonly seat: number;
  readonly lines: readonly Line[];
  readonly iterations: number;
  /** Share of searches ten times longer that would choose the same first line. */
  readonly certainty: number;
  /** A number if it is a safe one. */
  readonly seed: number | bigint;
  readonly stopReason: StopReason;
  readonly elapsedMs: number;
  /** Information sets in memory, their bytes, and how deep they go. */
  readonly nodes: number;
  readonly treeBytes: number;
  readonly depth: number;
  readonly memoryFull: boolean;
  /** Most visits to an information set that was removed because memory was full. */
  readonly givenUp: number;
}

const ENDINGS: readonly StopReason[] = ["paused", "iterations", "decided", "time", "stopped"]; // EndOfRun of search/loop/run.pxd
const SLICE = 0.015; // seconds until other messages are read
const SEATS = 4; // places for each list by seat in a line
const NUMBERS = 7 + 2 * SEATS; // of a line in memory

/** Search until a limit; between slices let `between` pass, and stop if it says so. */
export async function search(
  core: Core,
  question: Question,
  between: () => Promise<boolean>,
  update: (recommendation: Recommendation) => void,
): Promise<Recommendation> {
  const started = now();
  const { functions } = core;
  const asked = { ...question, view: core.observe(question.view, question.observer) };
  open(core, asked);
  let told = started;
  for (;;) {
    const pause = Math.min(now() + SLICE, told + question.every);
    const ending = ENDINGS[functions.search_run(pause, question.deadline, +question.early)] ?? "stopped";
    if (ending !== "paused") return result(core, asked, ending, started);
    if (now() >= told + question.every) {
      told = now();
      update(result(core, asked, ending, started));
    }
    if (await between()) return result(core, asked, "stopped", started);
  }
}

function open(core: Core, { view, observer, seat, seed, iterations, maxBytes }: Question): void {
  core.configure(view[0] ?? 0);
  core.write(core.state, view);
  const { maxVisits } = core.data.tuning.constants;
  if (!core.functions.search_open(core.state, observer, seat, seed, maxBytes, maxVisits)) {
    throw new EngineError("no memory for a search");
  }
  core.functions.search_allow(iterations);
}

function result(core: Core, question: Question, stopReason: StopReason, started: number): Recommendation {
  const { functions, data } = core;
  const iterations = functions.search_iterations();
  functions.search_figures(core.out);
  const [nodes = 0, treeBytes = 0, depth = 0, full = 0, givenUp = 0, settled = 0] = core.doubles(6);
  const by = data.tuning.bySeats[question.view[0] ?? 0];
  if (by === undefined) throw new EngineError("no search for this number of seats");
  const lines = ranked(linesOf(core, question, iterations), by, data.tuning.constants, !!settled);
  const elementary = elementaryOf(core);
  return {
    best: bestOf(core, question, lines),
    seat: question.seat,
    lines,
    iterations,
    certainty: certainty(lines, by, data.tuning.constants, elementary),
    seed: Number.isSafeInteger(Number(question.seed)) ? Number(question.seed) : question.seed,
    stopReason,
    elapsedMs: 1000 * (now() - started),
    nodes,
    treeBytes,
    depth,
    memoryFull: !!full,
    givenUp,
  };
}

function linesOf(core: Core, { view }: Question, iterations: number): Line[] {
  const { functions, data } = core;
  const by = data.tuning.bySeats[view[0] ?? 0];
  if (by === undefined) return [];
  const legal = new Set(core.legal(view));
  const round = functions.state_round(core.state);
  const [exponent, lead] = calibration(by, data.tuning.constants, iterations, round, elementaryOf(core));
  const count = functions.search_lines(exponent, lead, by.marginShare, by.scale, core.out);
  const numbers = core.doubles(count * NUMBERS);
  const rows = Array.from({ length: count }, (_, i) => numbers.slice(i * NUMBERS, (i + 1) * NUMBERS));
  return rows.filter(([code]) => legal.has(code ?? -1)).map((row) => lineOf(core, row, view[0] ?? 0, by.deviations));
}

function lineOf(core: Core, row: readonly number[], seats: number, deviations: number): Line {
  const { actions, labels } = core.data;
  const [code = 0, visits = 0, availability = 0] = row;
  const [margin = 0, marginError = 0, score = 0, scoreError = 0] = row.slice(3 + 2 * SEATS);
  const length = core.functions.search_variation(code, core.out);
  return {
    action: actions[code] ?? "",
    label: labels[code] ?? "",
    visits,
    availability,
    winShares: row.slice(3, 3 + seats),
    standardErrors: row.slice(3 + SEATS, 3 + SEATS + seats),
    margin,
    marginError,
    score,
    scoreError,
    lowerBound: score - deviations * scoreError,
    loss: 0,
    doubtful: false,
    principalVariation: core.codes(length).map((ply) => actions[ply] ?? ""),
  };
}

function bestOf(core: Core, { level, seed }: Question, lines: readonly Line[]): string {
  const { levels, constants } = core.data.tuning;
  const played = levels[level - 1];
  if (played === undefined) return lines[0]?.action ?? "";
  return chosen(lines, played, constants, core.unit(seed), elementaryOf(core))?.action ?? "";
}

function elementaryOf({ functions }: Core) {
  return { exp: functions.portable_exp, log: functions.portable_log };
}
