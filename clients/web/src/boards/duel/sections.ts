// The sections of the duel's buildings, and the card that both players claim.

import type { DuelPosition } from "../../gen/clerestory/v1/duel_pb.ts";
import { gameText, say } from "../../language/texts.ts";
import type { Catalogue } from "../types.ts";
import { cardAt } from "./places.ts";
import { effectOf } from "./words.ts";

const PLACES = 3; // for materials
const ALL_GOLD = 74; // in the box
const BUILDINGS: Record<string, string> = { red: "castle", blue: "cathedral" };

export const isComplete = (section: readonly unknown[]): boolean => section.length === PLACES;

/** The building of a colour. */
export const buildingOf = (colour: string): string => BUILDINGS[colour] ?? "";

/** The materials that a section of a colour's building wants. */
export function wantedBy(catalogue: Catalogue, colour: string, section: string): string[] {
  const wanted = catalogue.of("buildings", buildingOf(colour))?.values[section];
  return Array.isArray(wanted) ? wanted.map(String) : [];
}

/** The materials of a section, those wanted first: whether each is still missing. */
export function slotsOf(wanted: readonly string[], placed: readonly string[]): { kind: string; missing: boolean }[] {
  const there = [...placed];
  const slots = wanted.map((kind) => {
    const at = there.indexOf(kind);
    if (at >= 0) there.splice(at, 1);
    return { kind, missing: at < 0 };
  });
  return [...slots, ...there.map((kind) => ({ kind, missing: false }))];
}

/** A material in words. */
export function slotTold({ kind, missing }: { kind: string; missing: boolean }): string {
  const thing = gameText("duel", `good.${kind}`);
  return missing ? say("camp.missing", { thing }) : thing;
}

/** What placing one, two or three materials costs now. */
export function placingPrices(now: DuelPosition, catalogue: Catalogue): number[] {
  const printed = catalogue.of("buildings", "building")?.values.placing;
  const prices = Array.isArray(printed) ? printed.map(Number) : [];
  const cheap = catalogue
    .all("cards")
    .map(effectOf)
    .find(({ kind }) => kind === "cheap_building");
  return now.cheap && cheap ? prices.map(() => Number(cheap.price)) : prices;
}

/** The gold in the supply. */
export const inBank = ({ players }: DuelPosition): number =>
  ALL_GOLD - players.reduce((sum, player) => sum + player.gold, 0);

/** The steps of a contest. */
export const CONTEST = ["conflict", "flip", "keep"];

/** The place of the card that both players have a marker on, from the claims until one has it; empty for none. */
export function contestedPlace({ players: [first, second] }: DuelPosition): string {
  return first?.markers.find((place) => second?.markers.includes(place)) ?? "";
}

/** The card there. */
export const contested = (now: DuelPosition): string => cardAt(contestedPlace(now), now);
