// The effects of cards in words: kinds and amounts come from the catalogue, the sentences from the texts of the page.

import type { CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import { apart, gameText, knows, say, sayAny } from "../../texts.ts";
import type { Card, Catalogue } from "../types.ts";
import { listed, plainly } from "../words.ts";

export const ROUNDS = 6;

// Printed on the board.
export const PRICES: Readonly<Record<string, number>> = { sand: 2, wood: 3, stone: 4 };
export const METAL_PRICE = 5;

export type Amounts = Readonly<Record<string, number>>;

const signed = (count: number) => apart(count < 0 ? `−${-count}` : `+${count}`);

/** Numbers of things, in words. */
export const amounts = (of: Readonly<Record<string, unknown>>): string =>
  listed(
    Object.entries(of)
      .filter(([, count]) => typeof count === "number")
      .map(([kind, count]) => gameText("cathedral", `amount.${kind}`, { count })),
  );

/** The effect of a card in words; empty if it has none. */
export function effectOf(card: Card | undefined): string {
  const effect = card?.values.effect as Readonly<Record<string, unknown>> | undefined;
  if (!effect) return "";
  const { kind, ...of } = effect;
  const key = `effect.${kind}`;
  if (!knows(key)) return plainly(effect);
  const what = amounts(kind === "priory" || kind === "lose_vp" ? { vp: of.vp } : of);
  return sayAny(key, { ...of, what, count: Number(of.cards), cubes: signed(Number(of.cubes)) });
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

/** A conversion in words. What must be held is not taken. */
export function tradeTold({ takes, needs, gives, capacity }: Trade): string {
  const held = amounts(needs);
  return listed([
    say("trade", { takes: amounts(takes) || say("trade.nothing"), gives: amounts(gives), times: capacity }),
    held && say("trade.held", { what: held }),
  ]);
}

/** The gold that placing a builder costs now. */
export const placingCost = (now: CathedralPosition): number => (now.freePlacement ? 0 : now.cost);

const AFTER_TAX: readonly string[] = ["shiring", "market", "cathedral", "keep", "over"];

/** The tax of this round: what the die shows, or why it shows nothing. */
export const taxTold = ({ die, step }: CathedralPosition): string =>
  die ? String(die) : say(AFTER_TAX.includes(step) ? "place.tax_paid" : "place.not_rolled");

/** A number of the catalogue. */
export const numberOf = (card: Card | undefined, name: string): number | undefined =>
  typeof card?.values[name] === "number" ? card.values[name] : undefined;
