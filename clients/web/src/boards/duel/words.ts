// The effects of cards in English: kinds and amounts come from the catalogue, the sentences are written here.

import type { Card } from "../types.ts";

export type Effect = Readonly<Record<string, unknown>>;

const EFFECTS: Record<string, (effect: Effect) => string> = {
  power: () => "Take the marker of power",
  income: (of) => `Gain ${of.gold} gold`,
  influence: (of) => `Buy seals, ${of.price} gold each`,
  raw: (of) => `Take ${of.count} ${of.chip}`,
  craftsman: (of) => `Turn any ${of.chip}, ${of.price} gold each`,
  market: (of) => `Buy ${of.limit} at ${of.price} gold (${listed(of.kinds)}); sell wool at ${of.wool}`,
  sell_wool: (of) => `Sell up to ${of.limit} wool at ${of.price} gold`,
  take: (of) => `Take ${of.chips} chips, no ore`,
  seals: (of) => `Take the top ${of.seals} seals`,
  convert: (of) => `Turn up to ${of.limit} chips, ${of.price} gold each`,
  copy_any: () => "Use another card of the grid",
  copy_marked: () => "Use a card of yours again",
  copy_unmarked: () => "Use a card without your marker",
  return_material: () => "The other takes a material down",
  finish: (of) => `Buy chips at ${of.price} gold, turned at once`,
  place: (of) => `Place a chip for ${of.price} gold and a seal`,
  storm: () => "The other takes back a marker",
  cheap_building: (of) => `Building costs ${of.price} gold`,
  trade_seals: () => "Pay seals for chips, one for one",
  donation: (of) => `${of.gold} gold for each section of yours`,
  match_gold: () => "Have as much gold as the other",
};

const listed = (kinds: unknown) => (Array.isArray(kinds) ? kinds.join(", ") : "any");

/** The effect of a card. */
export const effectOf = (card: Card | undefined): Effect => (card?.values.effect as Effect | undefined) ?? {};

/** An effect in words; for an unknown one, its kind and amounts. */
export function told(effect: Effect): string {
  const { kind, ...amounts } = effect;
  if (kind === undefined) return "";
  const words = EFFECTS[String(kind)]?.(effect);
  if (words) return words;
  const more = Object.entries(amounts).map(([name, value]) => `${name} ${String(value)}`);
  return [String(kind).replaceAll("_", " "), ...more].join(", ");
}
