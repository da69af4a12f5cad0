// The craftsmen that an action makes useless: they work only beside another, which the action gives up.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import type { Catalogue } from "./types.ts";

/** Their names, for a seat that is to choose the action. */
export function idled(
  { kind, arguments: [lost = ""] }: LegalAction,
  { game }: Position,
  catalogue: Catalogue,
): string[] {
  if (game.case !== "cathedral" || kind !== "dismiss") return [];
  const holder = game.value.players.find(({ craftsmen }) => craftsmen.includes(lost));
  const kept = holder?.craftsmen.filter((card) => card !== lost) ?? [];
  const found = kept.filter((card) => {
    const helpers = catalogue.card(card)?.values.requires;
    return Array.isArray(helpers) && helpers.includes(lost) && !helpers.some((helper) => kept.includes(helper));
  });
  return [...new Set(found.map((card) => catalogue.name(card)))];
}
