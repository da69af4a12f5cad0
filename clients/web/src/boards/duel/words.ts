// The effects of cards in words: kinds and amounts come from the catalogue, the sentences from the texts of the page.

import { gameText, knows, sayAny } from "../../language/texts.ts";
import type { Card } from "../types.ts";
import { listed, plainly } from "../words.ts";

export type Effect = Readonly<Record<string, unknown>>;

/** The effect of a card. */
export const effectOf = (card: Card | undefined): Effect => (card?.values.effect as Effect | undefined) ?? {};

const good = (kind: unknown): string => gameText("duel", `good.${kind}`);

/** A number of chips of a kind, in words. */
export const amountOf = (kind: string, count: number): string => gameText("duel", `amount.${kind}`, { count });

/** An effect in words; for an unknown one, its kind and amounts. */
export function told(effect: Effect): string {
  const { kind, chip, kinds, ...amounts } = effect;
  if (kind === undefined) return "";
  const key = `effect.${kind}`;
  const goods = Array.isArray(kinds) ? listed(kinds.map(good)) : sayAny("effect.any");
  if (!knows(key)) return plainly(effect);
  const { count = amounts.chips ?? amounts.seals ?? amounts.limit } = amounts;
  const what = chip === undefined ? "" : amountOf(String(chip), Number(count));
  return sayAny(key, { ...amounts, count, what, chip: good(chip), kinds: goods });
}
