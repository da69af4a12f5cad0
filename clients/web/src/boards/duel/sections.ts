// The sections of the duel's buildings.

import type { Catalogue } from "../types.ts";

const PLACES = 3; // for materials
const BUILDINGS: Record<string, string> = { red: "castle", blue: "cathedral" };

export const isComplete = (section: readonly unknown[]): boolean => section.length === PLACES;

/** The building of a colour. */
export const buildingOf = (colour: string): string => BUILDINGS[colour] ?? "";

/** The materials that a section of a colour's building wants. */
export function wantedBy(catalogue: Catalogue, colour: string, section: string): string[] {
  const wanted = catalogue.of("buildings", buildingOf(colour))?.values[section];
  return Array.isArray(wanted) ? wanted.map(String) : [];
}
