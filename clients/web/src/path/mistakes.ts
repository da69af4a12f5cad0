// The mistakes of one's reviewed games that are still to be practised: a queue, kept in this browser.

import type { JsonValue } from "@bufbuild/protobuf";
import { store, stored } from "../browser/storage.ts";
import { listed } from "./progress.ts";

export interface Mistake {
  /** Game, ply and seat: `g7k2.12.0`. */
  id: string;
  /** The position before it, as the seat knew it. */
  position: JsonValue;
  seat: number;
  /** Texts of the action that was played and of the best one. */
  played: string;
  best: string;
  /** The loss, as a share of the win, 0 to 1. */
  loss: number;
}

const MOST_MISTAKES = 200; // of a game; a position has about 4 kB

/** Mistakes that were solved at the first try, by name, and adding some. */
export const [corrected, addCorrected] = listed<string>("corrected");

/** The mistakes that are still to be practised, the next one first. */
export const mistakesOf = (game: string): readonly Mistake[] => stored(`mistakes:${game}`, []);

const keep = (game: string, mistakes: readonly Mistake[]) => store(`mistakes:${game}`, mistakes.slice(-MOST_MISTAKES));

/** Whether a mistake waits to be practised, or has been solved. */
export const isKnown = (game: string, id: string): boolean =>
  corrected(game).includes(id) || mistakesOf(game).some((one) => one.id === id);

/** Add mistakes at the end of the queue, except those that are known. */
export function addMistakes(game: string, more: readonly Mistake[]): void {
  keep(game, [...mistakesOf(game), ...more.filter(({ id }) => !isKnown(game, id))]);
}

/** Drop a mistake from the queue. */
export function dropMistake(game: string, id: string): void {
  keep(
    game,
    mistakesOf(game).filter((one) => one.id !== id),
  );
}

/** Keep how the first try at a mistake ended: a solved one leaves, any other goes to the end of the queue. */
export function practised(game: string, mistake: Mistake, right: boolean): void {
  dropMistake(game, mistake.id);
  if (right) addCorrected(game, [mistake.id]);
  else addMistakes(game, [mistake]);
}
