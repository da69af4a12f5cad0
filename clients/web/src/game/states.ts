// The states of a kept game: the views of a seat, the log.

import type { Game, GameEntry, GameView } from "../gen/clerestory/v1/games_pb.ts";
import { TurnKind } from "../gen/clerestory/v1/rules_pb.ts";

/** The view of a seat among some, or the public one. */
export const viewIn = (views: readonly GameView[], seat: number | undefined): GameView | undefined =>
  views.find((view) => view.seat === seat) ?? views[0];

/** The seats of views, joined to one string. */
export const seatsOf = (views: readonly GameView[]): string => views.map(({ seat }) => seat ?? "").join();

/** The log after an entry; a log that lacks actions before it stays as it is. */
export function followed(log: GameEntry[], entry: GameEntry): GameEntry[] {
  if (log.length < entry.ply - 1) return log;
  if (entry.what.case === "applied") return [...log.slice(0, entry.ply - 1), entry];
  return entry.what.case === "takenBack" ? log.slice(0, entry.ply) : log;
}

/** Whether chance has shown something since the action before a ply, or since the decision that forced it. */
export function isRevealed(log: readonly GameEntry[], ply: number): boolean {
  let from = ply - 1;
  if (log[from]?.forced) while (from > 0 && (log[from]?.forced || isChance(log[from]))) from -= 1;
  return log.slice(Math.max(from, 0)).some(isChance);
}

const isChance = (entry: GameEntry | undefined): boolean =>
  entry?.what.case === "applied" && entry.what.value.turn?.kind === TurnKind.NATURE;

/** The seat that has declined to go back, if that is what made one state of a game out of another. */
export function declinedIn(known: Game | undefined, game: Game, entries: readonly GameEntry[]): number | undefined {
  const last = entries.at(-1)?.what;
  if (last?.case === "takeBackAnswered") {
    const withdrawn = last.value.seat === known?.takeBack?.seat;
    return last.value.declined && !withdrawn ? last.value.seat : undefined;
  }
  const missing = known?.takeBack?.missing ?? []; // a hidden tab, which is polled, gets no answers
  const dropped = !game.takeBack && !game.end && game.ply === known?.ply;
  return dropped && missing.length === 1 ? missing[0] : undefined;
}
