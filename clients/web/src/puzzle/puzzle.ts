// A puzzle: its position, the tries, and the puzzles solved in this browser.

import { create, toJson } from "@bufbuild/protobuf";
import { createClient } from "@clerestory/client";
import { computed, signal } from "@preact/signals";
import { store, stored } from "../browser/storage.ts";
import { type Position, PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import { PuzzleService, type PuzzleSummary, type TryPuzzleResponse } from "../gen/clerestory/v1/puzzle_pb.ts";
import { AnyPositionSchema, type LegalAction, type ListActionsResponse } from "../gen/clerestory/v1/rules_pb.ts";
import { labelAmong, planOf } from "../language/labels.ts";
import { levelName, text } from "../language/text.ts";
import { type Key, say, sayAny } from "../language/texts.ts";
import { addSolved, keepFirsts, solvedOnes } from "../path/progress.ts";
import { rules, transport } from "../service/api.ts";
import { Newest } from "../service/newest.ts";

const service = createClient(PuzzleService, transport);

/** The puzzles of a game. */
export async function listed(game: string): Promise<PuzzleSummary[]> {
  return (await service.listPuzzles({ game })).puzzles;
}

/** What kind of puzzles is wanted: of a level (0: any) and a theme ("": any). */
export interface Wanted {
  level: number;
  theme: string;
}

export const wanted = signal<Wanted>(stored("puzzles-wanted", { level: 0, theme: "" }));

export function want(more: Partial<Wanted>): void {
  wanted.value = { ...wanted.value, ...more };
  store("puzzles-wanted", wanted.value);
}

/** The themes of puzzles by the steps of their positions, the others last. */
const THEMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cathedral: {
    draft: "draft",
    builder: "builders",
    waiting: "builders",
    cathedral: "work",
    keep: "work",
    "": "places",
  },
  duel: { claim: "lines", storm: "seals", take_back: "seals", conflict: "seals", keep: "seals", "": "turns" },
};

/** The themes of a game's puzzles. */
export const themes = (game: string): string[] => [...new Set(Object.values(THEMES[game] ?? {}))];

const themeOf = (game: string, { step }: PuzzleSummary): string => THEMES[game]?.[step] ?? THEMES[game]?.[""] ?? "";

/** The name of a theme. */
export const themeName = (game: string, theme: string): string => sayAny(`theme.${game}.${theme}` as Key);

/** The puzzles of a kind. */
export const among = (known: readonly PuzzleSummary[], game: string, { level, theme }: Wanted): PuzzleSummary[] =>
  known.filter((one) => (!level || one.level === level) && (!theme || themeOf(game, one) === theme));

/** Whether nothing of a kind is left to be solved. */
export function isSolved(known: readonly PuzzleSummary[], game: string, kind: Wanted): boolean {
  const solved = solvedOnes(game);
  return among(known, game, kind).every((one) => solved.includes(one.number));
}

/** The next unsolved puzzle of the wanted kind after a number, wrapping around at the end. */
export function following(known: readonly PuzzleSummary[], game: string, kind: Wanted, after: number): number {
  const solved = solvedOnes(game);
  const open = among(known, game, kind).filter((one) => one.number !== after);
  const fresh = open.filter((one) => !solved.includes(one.number));
  const best = fresh.length ? fresh : open;
  return (best.find((one) => one.number > after) ?? best[0])?.number ?? 0;
}

/** The attempt: an action, or the actions of a plan; neither to ask for the answer. */
export interface Tried {
  action?: string;
  actions?: string[];
}

/** The verdict on a try; with the answer in words if the try is right, or if there was none. */
export interface Verdict {
  right: boolean;
  /** The loss of the try, as a share of the win. */
  loss: number;
  answer?: string;
  /** Why it is better. */
  reasons: readonly { text: string }[];
  /** Further remarks on the answer. */
  more?: string;
}

/** A position to find the best action in, and how a try is judged. */
export interface Task {
  game: string;
  /** Its name among the puzzles of the game. */
  name: string;
  position: Position;
  /** The seat to decide. */
  seat: number;
  /** The heading. */
  title(who: string): string;
  /** The question, which follows the name of the seat. */
  question(labels: Labels): string;
  judge(tried: Tried, labels: Labels): Promise<Verdict>;
  /** Keep whether a try was right; an answer that was asked for counts as a wrong one. */
  keep(right: boolean): void;
}

/** The label of an action that is legal in the position. */
export type Labels = (action: string) => string;

/** A task as a puzzle, with what can be done in its position. */
export async function posed(task: Task): Promise<Puzzle> {
  const kind = { case: "position" as const, value: task.position };
  return new Puzzle(task, await rules.listActions({ position: create(AnyPositionSchema, { kind }) }));
}

/** A shipped puzzle. */
export async function shipped(game: string, number: number): Promise<Task> {
  const puzzle = { game, number };
  const { summary, position, seat } = await service.getPuzzle({ puzzle });
  return {
    game,
    name: `${number}`,
    position: position as Position,
    seat,
    title: (who) => say("puzzle.turn", { number, who }),
    question: () => say("puzzle.which", { level: levelName(summary?.level) }),
    judge: async (tried, labels) => verdictOf(await service.tryPuzzle({ puzzle, ...tried }), summary, labels),
    keep(right) {
      keepFirsts(game, { [number]: right });
      if (right) addSolved(game, [number]);
    },
  };
}

function verdictOf(answer: TryPuzzleResponse, summary: PuzzleSummary | undefined, labels: Labels): Verdict {
  const { right, loss, reasons } = answer;
  if (!answer.answer) return { right, loss, reasons };
  const how = say(summary?.exact ? "puzzle.exact" : "puzzle.searched");
  const words = planOf(answer.plan) || labels(answer.answer.text);
  return {
    right,
    loss,
    reasons,
    answer: words,
    more: say("puzzle.next_best", { loss: text.share(answer.nextBestLoss), how }),
  };
}

export class Puzzle {
  readonly task: Task;
  readonly actions: readonly LegalAction[];
  readonly points: readonly number[];
  /** The last try: its number, and its verdict. */
  readonly tried = signal<{ number: number; label: string; verdict: Verdict } | undefined>(undefined);
  /** The answer, once it was found or requested. */
  readonly answer = signal<Verdict | undefined>(undefined);
  /** The tries, and the request for the answer. */
  readonly asked = new Newest();
  readonly done = computed(() => this.answer.value !== undefined);

  constructor(task: Task, { actions, points }: ListActionsResponse) {
    this.task = task;
    this.actions = actions;
    this.points = points;
  }

  /** The question in words. */
  get question(): string {
    return this.task.question(this.#label);
  }

  /** Try an action. */
  async play(action: string): Promise<void> {
    await this.#try({ action }, this.#label(action));
  }

  /** Try a plan. */
  async tryPlan(actions: string[]): Promise<void> {
    await this.#try({ actions }, say("puzzle.plan"));
  }

  /** Request the answer. */
  async giveUp(): Promise<void> {
    await this.#ask({}, (answer) => {
      this.answer.value = answer;
      this.task.keep(false);
    });
  }

  async #try(move: Tried, label: string): Promise<void> {
    if (this.done.value) return;
    await this.#ask(move, (verdict) => {
      this.tried.value = { number: (this.tried.value?.number ?? 0) + 1, label, verdict };
      this.task.keep(verdict.right);
      if (verdict.right) this.answer.value = verdict;
    });
  }

  readonly #label = (action: string) =>
    labelAmong(
      this.actions.find((one) => one.action?.text === action)?.action,
      this.actions.map((one) => one.action),
    ) || action;

  #ask(move: Tried, took: (verdict: Verdict) => void): Promise<void> {
    return this.asked.ask(() => this.task.judge(move, this.#label), took);
  }

  /** The position as a file that a study can open. */
  get file(): string {
    return JSON.stringify(toJson(PositionSchema, this.task.position));
  }
}
