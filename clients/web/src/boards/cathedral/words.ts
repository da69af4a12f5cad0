// The effects of cards in words: kinds and amounts come from the catalogue, the sentences from the texts of the page.

import type { CathedralPlayer, CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import { apart, gameText, knows, say, sayAny } from "../../language/texts.ts";
import { COLOURS } from "../places.ts";
import type { Card, Catalogue } from "../types.ts";
import { listed, plainly } from "../words.ts";

export const ROUNDS = 6;

// Printed on the board.
export const PRICES: Readonly<Record<string, number>> = { sand: 2, wood: 3, stone: 4 };
export const METAL_PRICE = 5;

export type Amounts = Readonly<Record<string, number>>;

/** The points of the spaces of the Priory, printed on the board. */
export const PRIORY = [2, 1];

/** What the cards of a player add for each builder there. */
export function priorPoints(player: CathedralPlayer | undefined, catalogue: Catalogue): number {
  const effects = (player?.advantages ?? []).map(
    (id) => catalogue.of("advantage_cards", id)?.values.effect as Prior | undefined,
  );
  return effects.reduce((sum, effect) => sum + (effect?.kind === "priory" ? effect.vp : 0), 0);
}

type Prior = { kind: string; vp: number };

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
  const count = Math.abs(Number(of.cards ?? of.cubes));
  return sayAny(key, { ...of, what, count, cubes: signed(Number(of.cubes)) });
}

/** What a craftsman takes, needs and gives, and how often. */
export interface Trade {
  takes: Amounts;
  needs: Amounts;
  gives: Amounts;
  capacity: number;
  /** Craftsmen that this one requires: any of them will do. */
  requires: readonly string[];
  /** What its owner may do at the market, such as `buy_wood`; empty for nothing. */
  permits: string;
}

/** The conversion of a craftsman; nothing if the catalogue has none. */
export function tradeOf(catalogue: Catalogue, id: string): Trade | undefined {
  const values = (catalogue.of("craftsmen", id) ?? catalogue.of("starting_craftsmen", id))?.values;
  if (!values) return undefined;
  const { takes = {}, needs = {}, gives = {}, capacity = 1 } = values as unknown as Partial<Trade>;
  const { requires = [], permits = "" } = values as unknown as Partial<Trade>;
  return { takes, needs, gives, capacity, requires, permits };
}

/** A conversion in words, with its conditions. What must be held is not taken. */
export function tradeTold({ takes, needs, gives, capacity, requires, permits }: Trade, catalogue: Catalogue): string {
  const held = amounts(needs);
  const [taken, given] = [amounts(takes), amounts(gives)];
  return listed([
    taken
      ? say("trade", { takes: taken, gives: given, count: capacity })
      : say("trade.free", { gives: given, count: capacity }),
    held && say("trade.held", { what: held }),
    requires.length > 0 && say("trade.beside", { who: eitherOf(requires, catalogue) }),
    permits && say("trade.permits", { what: permitted(permits) }),
  ]);
}

/** The names of alternative cards. */
const eitherOf = (ids: readonly string[], catalogue: Catalogue): string =>
  [...new Set(ids.map((id) => catalogue.name(id)))].join(say("or"));

/** What a craftsman permits, in words. */
export const permitted = (permit: string): string => gameText("cathedral", `value.${permit}`);

/** Why a craftsman cannot work beside the others that are held; empty if he can. */
export function lackOf({ requires }: Trade, held: readonly string[], catalogue: Catalogue): string {
  const alone = requires.length > 0 && !requires.some((id) => held.includes(id));
  return alone ? say("card.lacks", { who: eitherOf(requires, catalogue) }) : "";
}

const ROOM = 5; // for craftsmen

/** The number of craftsmen that a player has room for. */
export function roomOf({ advantages }: CathedralPlayer, catalogue: Catalogue): number {
  const effects = advantages.map((id) => catalogue.of("advantage_cards", id)?.values.effect as Room | undefined);
  return effects.reduce((room, effect) => room + (effect?.kind === "craftsman_room" ? effect.cards : 0), ROOM);
}

type Room = { kind: string; cards: number };

/** The player who is to act. */
export const actorOf = ({ players, toAct }: CathedralPosition): CathedralPlayer | undefined =>
  players[COLOURS.indexOf(toAct)];

/** Whether the player who is to act has a craftsman too many. */
export function isCrowded(now: CathedralPosition, catalogue: Catalogue): boolean {
  const actor = actorOf(now);
  return actor !== undefined && catalogue.known && actor.craftsmen.length > roomOf(actor, catalogue);
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
