// The sources of points, and what breaks ties, as engine/shared/points.py.

import type { PointsData } from "./data.ts";
import type { Json } from "./kinds.ts";

type Player = Readonly<Record<string, Json>>;
type Source = PointsData["sources"][number];

/** What broke a tie of best scores: `gold`, `shared` or `seat`, and the values compared, by seat. */
export interface TieBreak {
  readonly code: string;
  readonly values: readonly number[];
}

/** Return the points of a player by source, without sources of 0 points. */
export function bySource(player: Player, { sources }: PointsData): Record<string, number> {
  const points = sources.map((source) => [source.name, pointsOf(player, source)] as const);
  return Object.fromEntries(points.filter(([, found]) => found));
}

function pointsOf(player: Player, { fields, factor, per, full, constant }: Source): number {
  const counts = fields.map((name) => countOf(player[name]));
  const total = counts.reduce((sum, count) => sum + (full ? +(count === full) : count), 0);
  return (factor * total + constant) / per;
}

const countOf = (value: Json): number => (Array.isArray(value) ? value.length : Number(value));

/** Return what breaks the tie of players; undefined without a tie. */
export function tieBreakOf(players: readonly Player[], { sources, tieBreak }: PointsData): TieBreak | undefined {
  const { field, last } = tieBreak;
  const counted = sources.filter(({ name }) => name !== field);
  const points = players.map((player) => counted.reduce((sum, source) => sum + pointsOf(player, source), 0));
  const values = players.map((player) => countOf(player[field]));
  const tied = values.filter((_, seat) => points[seat] === Math.max(...points));
  if (tied.length === 1) return undefined;
  const shared = tied.filter((value) => value === Math.max(...tied)).length > 1;
  return shared ? { code: last, values: [] } : { code: field, values };
}
