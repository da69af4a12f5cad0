// A puzzle: its position, the tries, and the puzzles solved in this browser.

import { create, toJson } from "@bufbuild/protobuf";
import { createClient } from "@clerestory/client";
import { computed, signal } from "@preact/signals";
import { store, stored } from "../browser/storage.ts";
import { type Position, PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import {
  type GetPuzzleResponse,
  PuzzleService,
  type PuzzleSummary,
  type TryPuzzleResponse,
} from "../gen/clerestory/v1/puzzle_pb.ts";
import { AnyPositionSchema, type LegalAction, type ListActionsResponse } from "../gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "../language/labels.ts";
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

/** A puzzle, and what can be done in its position. */
export async function posed(game: string, number: number): Promise<Puzzle> {
  const shown = await service.getPuzzle({ puzzle: { game, number } });
  const kind = { case: "position" as const, value: shown.position as Position };
  const answer = await rules.listActions({ position: create(AnyPositionSchema, { kind }) });
  return new Puzzle(game, number, shown, answer);
}

export class Puzzle {
  readonly game: string;
  readonly number: number;
  readonly summary: PuzzleSummary | undefined;
  readonly position: Position;
  /** The seat to decide. */
  readonly seat: number;
  readonly actions: readonly LegalAction[];
  readonly points: readonly number[];
  /** The last try: its number, and its verdict. */
  readonly tried = signal<{ number: number; label: string; verdict: TryPuzzleResponse } | undefined>(undefined);
  /** The answer, once it was found or requested. */
  readonly answer = signal<TryPuzzleResponse | undefined>(undefined);
  /** The tries, and the request for the answer. */
  readonly asked = new Newest();
  readonly done = computed(() => this.answer.value !== undefined);

  constructor(game: string, number: number, shown: GetPuzzleResponse, { actions, points }: ListActionsResponse) {
    this.game = game;
    this.number = number;
    this.summary = shown.summary;
    this.position = shown.position as Position;
    this.seat = shown.seat;
    this.actions = actions;
    this.points = points;
  }

  /** Try an action. */
  async play(action: string): Promise<void> {
    const tried = this.actions.find((one) => one.action?.text === action)?.action;
    await this.#try({ action }, labelOf(tried) || action);
  }

  /** Try a plan. */
  async tryPlan(actions: string[]): Promise<void> {
    await this.#try({ actions }, say("puzzle.plan"));
  }

  async #try(move: { action: string } | { actions: string[] }, label: string): Promise<void> {
    if (this.done.value) return;
    await this.#ask(move, (verdict) => {
      this.tried.value = { number: (this.tried.value?.number ?? 0) + 1, label, verdict };
      keepFirsts(this.game, { [this.number]: verdict.right });
      if (!verdict.right) return;
      addSolved(this.game, [this.number]);
      this.answer.value = verdict;
    });
  }

  /** Request the answer. */
  async giveUp(): Promise<void> {
    await this.#ask({}, (answer) => {
      this.answer.value = answer;
      keepFirsts(this.game, { [this.number]: false });
    });
  }

  #ask(move: { action?: string; actions?: string[] }, took: (verdict: TryPuzzleResponse) => void): Promise<void> {
    const puzzle = { game: this.game, number: this.number };
    return this.asked.ask(() => service.tryPuzzle({ puzzle, ...move }), took);
  }

  /** The position as a file that a study can open. */
  get file(): string {
    return JSON.stringify(toJson(PositionSchema, this.position));
  }
}
