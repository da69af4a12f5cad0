// A puzzle: its position, the tries, and the puzzles solved in this browser.

import { create, toJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { computed, signal } from "@preact/signals";
import { rules, transport, wordsOf } from "./api.ts";
import { type Position, PositionSchema } from "./gen/clerestory/v1/position_pb.ts";
import {
  type GetPuzzleResponse,
  PuzzleService,
  type PuzzleSummary,
  type TryPuzzleResponse,
} from "./gen/clerestory/v1/puzzle_pb.ts";
import { AnyPositionSchema, type LegalAction } from "./gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "./labels.ts";
import { say } from "./texts.ts";

const service = createClient(PuzzleService, transport);

/** The puzzles of a game. */
export async function listed(game: string): Promise<PuzzleSummary[]> {
  return (await service.listPuzzles({ game })).puzzles;
}

/** Numbers of the puzzles of a game that were solved in this browser. */
export function solvedOnes(game: string): ReadonlySet<number> {
  return new Set(stored(game));
}

function stored(game: string): number[] {
  return JSON.parse(localStorage.getItem(`puzzles:${game}`) ?? "[]") as number[];
}

function keepSolved(game: string, number: number): void {
  localStorage.setItem(`puzzles:${game}`, JSON.stringify([...new Set([...stored(game), number])]));
}

/** Whether the puzzles that were tried in this browser were solved at the first try, by number. */
export const firstTries = (game: string): Record<number, boolean> =>
  JSON.parse(localStorage.getItem(`puzzles-first:${game}`) ?? "{}") as Record<number, boolean>;

function keepFirst(game: string, number: number, right: boolean): void {
  localStorage.setItem(`puzzles-first:${game}`, JSON.stringify({ [number]: right, ...firstTries(game) }));
}

/** The next unsolved puzzle of a level (0: of any) after a number, wrapping around at the end. */
export function following(known: readonly PuzzleSummary[], game: string, level: number, after: number): number {
  const solved = solvedOnes(game);
  const open = known.filter((one) => (!level || one.level === level) && one.number !== after);
  const fresh = open.filter((one) => !solved.has(one.number));
  const among = fresh.length ? fresh : open;
  return (among.find((one) => one.number > after) ?? among[0])?.number ?? 0;
}

export class Puzzle {
  readonly game: string;
  readonly number: number;
  readonly shown = signal<GetPuzzleResponse | undefined>(undefined);
  readonly actions = signal<readonly LegalAction[]>([]);
  /** The last try, and its verdict. */
  readonly tried = signal<{ label: string; verdict: TryPuzzleResponse } | undefined>(undefined);
  /** The answer, once it was found or requested. */
  readonly answer = signal<TryPuzzleResponse | undefined>(undefined);
  readonly trouble = signal("");
  readonly busy = signal(false);
  readonly done = computed(() => this.answer.value !== undefined);

  constructor(game: string, number: number) {
    this.game = game;
    this.number = number;
    void this.#told(async () => {
      const shown = await service.getPuzzle({ puzzle: this.#reference });
      const kind = { case: "position" as const, value: shown.position as Position };
      const { actions } = await rules.listActions({ position: create(AnyPositionSchema, { kind }) });
      this.actions.value = actions;
      this.shown.value = shown;
    });
  }

  get #reference() {
    return { game: this.game, number: this.number };
  }

  /** Try an action. */
  async play(action: string): Promise<void> {
    const tried = this.actions.value.find((one) => one.action?.text === action)?.action;
    await this.#try({ action }, labelOf(tried) || action);
  }

  /** Try a plan. */
  async tryPlan(actions: string[]): Promise<void> {
    await this.#try({ actions }, say("puzzle.plan"));
  }

  async #try(move: { action: string } | { actions: string[] }, label: string): Promise<void> {
    if (this.done.value) return;
    await this.#told(async () => {
      const verdict = await service.tryPuzzle({ puzzle: this.#reference, ...move });
      this.tried.value = { label, verdict };
      keepFirst(this.game, this.number, verdict.right);
      if (!verdict.right) return;
      keepSolved(this.game, this.number);
      this.answer.value = verdict;
    });
  }

  /** Request the answer. */
  async giveUp(): Promise<void> {
    await this.#told(async () => {
      this.answer.value = await service.tryPuzzle({ puzzle: this.#reference });
      keepFirst(this.game, this.number, false);
    });
  }

  /** The position as a file that a study can open. */
  get file(): string {
    return JSON.stringify(toJson(PositionSchema, this.shown.value?.position as Position));
  }

  async #told(ask: () => Promise<void>): Promise<void> {
    this.busy.value = true;
    this.trouble.value = "";
    try {
      await ask();
    } catch (error) {
      this.trouble.value = wordsOf(error);
    } finally {
      this.busy.value = false;
    }
  }
}
