// The effects of cards in English: kinds and amounts come from the catalogue, the sentences are written here.

import type { Card, Catalogue } from "../types.ts";

export type Amounts = Readonly<Record<string, number>>;
type Effect = Readonly<Record<string, unknown>>;

const EFFECTS: Record<string, (amounts: Amounts) => string> = {
  production: (of) => `+${amounts(of)} at each production`,
  priory: (of) => `+${points(of.vp)} for each own builder at the Priory`,
  fixed_tax: (of) => `Your tax is ${of.gold} gold`,
  foresight: () => "You see the coming event",
  black_worker: () => "One more worker",
  craftsman_room: (of) => `Room for ${of.cards} more craftsman`,
  free_builder: () => "Once: place a drawn builder free",
  protection: () => "Once: no harm from an event",
  tax_exemption: () => "Once: pay no tax",
  gain: (of) => `Gain ${amounts(of)}`,
  levy: (of) => `All pay ${of.gold} gold`,
  lose_vp: (of) => `All lose ${points(of.vp)}`,
  builders: (of) => `${of.builders} builders each next round`,
  yield: (of) => `Each resource card: ${signed(of.cubes)} cube`,
  lose_craftsman: () => "All lose a craftsman",
  mill_gold: (of) => `1 gold for each worker at the mill, ${of.most} at most`,
  blessing: () => "One craftsman may be used once more",
};

const points = (count = 0) => `${count} ${count === 1 ? "point" : "points"}`;
const signed = (count = 0) => (count < 0 ? `−${-count}` : `+${count}`);

/** Numbers of things, in words. */
export const amounts = (of: Amounts): string =>
  Object.entries(of)
    .filter(([, count]) => typeof count === "number")
    .map(([kind, count]) => (kind === "vp" ? points(count) : `${count} ${kind.replaceAll("_", " ")}`))
    .join(", ");

/** The effect of a card in words; empty if it has none. */
export function effectOf(card: Card | undefined): string {
  const effect = card?.values.effect as Effect | undefined;
  if (!effect) return "";
  const kind = String(effect.kind ?? "");
  const told = EFFECTS[kind];
  if (told) return told(effect as Amounts);
  return [kind.replaceAll("_", " "), amounts(effect as Amounts)].filter(Boolean).join(": ");
}

/** What a craftsman takes, needs and gives, and how often. */
export interface Trade {
  takes: Amounts;
  needs: Amounts;
  gives: Amounts;
  capacity: number;
}

/** The conversion of a craftsman; nothing if the catalogue has none. */
export function tradeOf(catalogue: Catalogue, id: string): Trade | undefined {
  const values = (catalogue.of("craftsmen", id) ?? catalogue.of("starting_craftsmen", id))?.values;
  if (!values) return undefined;
  const { takes = {}, needs = {}, gives = {}, capacity = 1 } = values as unknown as Partial<Trade>;
  return { takes, needs, gives, capacity };
}

/** A number of the catalogue. */
export const numberOf = (card: Card | undefined, name: string): number | undefined =>
  typeof card?.values[name] === "number" ? card.values[name] : undefined;
