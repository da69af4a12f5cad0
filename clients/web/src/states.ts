// The states of a kept game: the views of a seat, the log.

import type { GameEntry, GameView } from "./gen/clerestory/v1/games_pb.ts";

/** The view of a seat among some, or the public one. */
export const viewIn = (views: readonly GameView[], seat: number | undefined): GameView | undefined =>
  views.find((view) => view.seat === seat) ?? views[0];

/** The seats of views, joined to one string. */
export const seatsOf = (views: readonly GameView[]): string => views.map(({ seat }) => seat ?? "").join();

/** The log after an entry. */
export function followed(log: GameEntry[], entry: GameEntry): GameEntry[] {
  if (entry.what.case === "applied") return [...log.slice(0, entry.ply - 1), entry];
  return entry.what.case === "takenBack" ? log.slice(0, entry.ply) : log;
}
