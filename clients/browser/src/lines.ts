// The lines of a result: their order, how sure the first one is, and what a level plays (search/lines.py, certainty.py, levels.py).
//
// Arithmetic follows Python's order, so that every bit is equal.

import type { Constants, Level, SearchData } from "./data.ts";

/** A legal action with the search's estimates, as in the Python class of the same name. */
export interface Line {
  readonly action: string;
  readonly label: string;
  /** Iterations that tried it, and in which it was legal. */
  readonly visits: number;
  readonly availability: number;
  /** By seat, 0 to 1, and their standard errors. */
  readonly winShares: readonly number[];
  readonly standardErrors: readonly number[];
  /** Of the deciding seat, in points; the error is infinite before the second visit. */
  readonly margin: number;
  readonly marginError: number;
  /** The reward that the search maximizes, its error, and its lower bound. */
  readonly score: number;
  readonly scoreError: number;
  readonly lowerBound: number;
  /** Points of margin behind the best line. */
  readonly loss: number;
  readonly principalVariation: readonly string[];
  /** Whether it has too few visits, compared with the first line, for reliable estimates. */
  readonly doubtful: boolean;
}

/** The C functions that lines need: portable exponentials and logarithms. */
export interface Elementary {
  exp(x: number): number;
  log(x: number): number;
}

/** Return the exponent of the reported win shares, and what is added to the log odds of the first seat. */
export function calibration(
  { sharpness }: SearchData,
  { even, measured, leastSharpness }: Constants,
  iterations: number,
  round: number,
  { log }: Elementary,
): [number, number] {
  const [least, most] = measured;
  const strength = log(Math.min(Math.max(iterations, least), most) / even) / log(10);
  const later = Math.max(round - 1, 0);
  const terms = [1, strength, later, strength * later, +(round === sharpness.rounds), +(round <= 1)];
  return [Math.max(weighted(sharpness.weights, terms), leastSharpness), round <= 1 ? sharpness.firstSeat : 0];
}

/** Return lines in the order of display, the one to play first, with their losses. */
export function ranked(lines: readonly Line[], search: SearchData, constants: Constants, settled: boolean): Line[] {
  const byVisits = [...lines].sort((a, b) => b.visits - a.visits);
  const bound = (line: Line) => (settled ? settledBound(line, search, constants) : line.lowerBound);
  const most = byVisits[0]?.visits ?? 0;
  const enough = (settled ? constants.settledVisits : constants.wellVisited) * most;
  const rivals = settled || search.choice === "bound" ? byVisits.filter((line) => line.visits >= enough) : byVisits;
  const best = settled || search.choice === "bound" ? first(rivals, bound) : rivals[0];
  if (best === undefined) return [];
  const doubt = Math.min(constants.doubtful, constants.proportion * best.visits);
  const placed = byVisits.map((line) => {
    const doubtful = line.visits < doubt;
    const at = [+(line !== best), +doubtful, doubtful ? -line.visits : -bound(line)];
    return { line: { ...line, doubtful, loss: line.visits ? best.margin - line.margin : line.loss }, at };
  });
  placed.sort((a, b) => compare(a.at, b.at));
  return placed.map(({ line }) => line);
}

function settledBound(line: Line, { deviations }: SearchData, { point }: Constants): number {
  const error = line.scoreError + point * line.marginError;
  return line.score + point * line.margin - deviations * error;
}

/** Return the estimated share of searches ten times longer that would choose the same line. */
export function certainty(
  lines: readonly Line[],
  { certainty }: SearchData,
  { mostErrors }: Constants,
  { exp, log }: Elementary,
): number {
  const [best, ...rivals] = lines;
  const rival = first(rivals, (line) => line.visits);
  if (best === undefined || rival === undefined) return 1;
  const total = lines.reduce((sum, line) => sum + line.visits, 0);
  const lead = log((best.visits + 1) / (rival.visits + 1));
  const evidence = [1, log(total + 1), lead, errors(best, rival, mostErrors)];
  return 1 / (1 + exp(-weighted(certainty, evidence)));
}

function errors(best: Line, rival: Line, most: number): number {
  const error = Math.sqrt(best.scoreError * best.scoreError + rival.scoreError * rival.scoreError);
  const lead = rival.visits ? best.score - rival.score : 0;
  return error ? Math.max(-most, Math.min(lead / error, most)) : most * +(lead > 0);
}

/** Return the line that a level chooses, given a random number from 0 to 1. */
export function chosen(lines: readonly Line[], level: Level, constants: Constants, unit: number, { exp }: Elementary) {
  const tried = lines.filter((line) => line.visits);
  if (tried.length < 2 || !level.noise) return lines[0];
  const enough = constants.seen * Math.max(...tried.map((line) => line.visits));
  const odds = tried.map((line) => Math.min(line.visits / enough, 1) * exp(-Math.max(line.loss, 0) / level.noise));
  let left = unit * odds.reduce((sum, one) => sum + one, 0);
  for (const [i, line] of tried.entries()) {
    left -= odds[i] ?? 0;
    if (left < 0) return line;
  }
  return tried.at(-1);
}

function weighted(weights: readonly number[], terms: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * (terms[i] ?? 0), 0);
}

/** Return the first of the items with the highest value. */
function first<T>(items: readonly T[], value: (item: T) => number): T | undefined {
  let best = items[0];
  for (const item of items) if (best !== undefined && value(item) > value(best)) best = item;
  return best;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const i = one.findIndex((value, place) => value !== other[place]);
  return i < 0 ? 0 : (one[i] ?? 0) - (other[i] ?? 0);
}
