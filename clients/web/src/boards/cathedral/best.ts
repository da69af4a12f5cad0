// The conversions that give a player the most points now, and what a plan leaves unused.

import type { CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import type { Position } from "../../gen/clerestory/v1/position_pb.ts";
import type { Catalogue } from "../types.ts";
import { type Amounts, actorOf, lackOf, METAL_PRICE, PRICES, ROUNDS, type Trade, tradeOf } from "./words.ts";

export type Uses = Readonly<Record<string, number>>;

/** Uses beyond a plan, the goods they take, and their points. */
export interface Gain {
  uses: Uses;
  takes: Amounts;
  vp: number;
}

const NOTHING: Gain = { uses: {}, takes: {}, vp: 0 };

interface Worker {
  id: string;
  trade: Trade;
  /** How often he can still work. */
  left: number;
}

/** The uses that add the most points to those of a plan; of equal ones, those that take the goods of least value. */
export function bestGain({ game }: Position, catalogue: Catalogue, planned: Uses = {}): Gain {
  const actor = game.case === "cathedral" && game.value.step === "cathedral" ? actorOf(game.value) : undefined;
  if (game.case !== "cathedral" || !actor) return NOTHING;
  const workers = workersIn(game.value, actor.craftsmen, catalogue, planned);
  const goods: Record<string, number> = { gold: actor.gold };
  for (const kind of ["sand", "wood", "stone", "metal"] as const) goods[kind] = actor[kind];
  for (const [id, times] of Object.entries(planned))
    for (const [kind, count] of Object.entries(tradeOf(catalogue, id)?.takes ?? {}))
      goods[kind] = (goods[kind] ?? 0) - count * times;
  const blessed = blessable(game.value, workers, catalogue);
  return [workers, ...blessed].map((ones) => best(ones, goods)).reduce(better, NOTHING);
}

/** The craftsmen who make points here. Gold is spent on points in the last round only, as it is needed before. */
function workersIn(now: CathedralPosition, held: readonly string[], catalogue: Catalogue, planned: Uses): Worker[] {
  return held.flatMap((id) => {
    const trade = tradeOf(catalogue, id);
    const spends = trade?.takes.gold !== undefined && now.round < ROUNDS;
    if (!trade?.gives.vp || spends || lackOf(trade, held, catalogue)) return [];
    const used = now.used.find(({ craftsman }) => craftsman === id)?.times ?? 0;
    return [{ id, trade, left: Math.max(trade.capacity - used - (planned[id] ?? 0), 0) }];
  });
}

/** Variants of the craftsmen in which one can work once more: one for each that this round's blessing can raise. */
function blessable(now: CathedralPosition, workers: readonly Worker[], catalogue: Catalogue): Worker[][] {
  const effect = catalogue.of("event_cards", now.event)?.values.effect as { kind?: string } | undefined;
  if (effect?.kind !== "blessing" || now.blessingUsed) return [];
  const can = workers.filter(({ id }) => catalogue.card(id)?.values.blessing !== false);
  return can.map((raised) => workers.map((one) => (one === raised ? { ...one, left: one.left + 1 } : one)));
}

/** The best uses of some craftsmen, of goods that are shared: each number of uses of the first, with the best of the rest. */
function best([first, ...rest]: readonly Worker[], goods: Readonly<Record<string, number>>): Gain {
  if (!first) return NOTHING;
  let found = best(rest, goods);
  const left = { ...goods };
  for (let times = 1; times <= first.left; times++) {
    for (const [kind, count] of Object.entries(first.trade.takes)) left[kind] = (left[kind] ?? 0) - count;
    if (Object.values(left).some((count) => count < 0)) break;
    found = better(found, joined(first, times, best(rest, left)));
  }
  return found;
}

function joined({ id, trade }: Worker, times: number, { uses, takes, vp }: Gain): Gain {
  const more = Object.entries(trade.takes).map(([kind, count]) => [kind, (takes[kind] ?? 0) + times * count]);
  const gained = vp + times * (trade.gives.vp ?? 0);
  return { uses: { ...uses, [id]: times }, takes: { ...takes, ...Object.fromEntries(more) }, vp: gained };
}

const better = (one: Gain, other: Gain): Gain =>
  other.vp > one.vp || (other.vp === one.vp && worthOf(other) < worthOf(one)) ? other : one;

/** What the goods taken would sell for. */
const worthOf = ({ takes }: Gain): number =>
  Object.entries(takes).reduce((sum, [kind, count]) => sum + count * (priceOf(kind) ?? METAL_PRICE), 0);

const priceOf = (kind: string) => (kind === "gold" ? 1 : PRICES[kind]);
