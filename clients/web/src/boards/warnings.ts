// What an action gives up that its label does not say. The list shows it, and a place of the board asks before it is done.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { warningsInCathedral } from "./cathedral/warnings.ts";
import { warningsInDuel } from "./duel/warnings.ts";
import type { Catalogue } from "./types.ts";

/** One sentence each; `actions` are all that the same seat could do instead. */
export function warningsOf(
  action: LegalAction,
  { game }: Position,
  catalogue: Catalogue,
  actions: readonly LegalAction[],
): string[] {
  if (!catalogue.known) return [];
  if (game.case === "cathedral") return warningsInCathedral(action, game.value, catalogue);
  return game.case === "duel" ? warningsInDuel(action, game.value, catalogue, actions) : [];
}
