// What an action costs, or which card it is about, where neither its label nor the name of its place says so.

import type { CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { DuelPosition } from "../gen/clerestory/v1/duel_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { say } from "../texts.ts";
import { numberOf, placingCost } from "./cathedral/words.ts";
import { contested, placingPrices } from "./duel/sections.ts";
import type { Catalogue } from "./types.ts";

/** The text beside the label of an action; empty if the label suffices. */
export function besides(action: LegalAction, { game }: Position, catalogue: Catalogue): string {
  if (game.case === "cathedral") return inCathedral(action, game.value, catalogue);
  return game.case === "duel" ? inDuel(action, game.value, catalogue) : "";
}

const gold = (number: number | undefined) => (number ? say("card.costs", { number }) : "");

function inCathedral({ kind, arguments: [id = ""] }: LegalAction, now: CathedralPosition, catalogue: Catalogue) {
  if (kind === "hire") return gold(numberOf(catalogue.of("craftsmen", id), "cost"));
  if (kind === "place") return gold(placingCost(now));
  const workers = kind === "take" ? numberOf(catalogue.of("resource_cards", id), "workers") : undefined;
  return workers === undefined ? "" : say("card.workers", { number: workers });
}

function inDuel({ kind, arguments: words }: LegalAction, now: DuelPosition, catalogue: Catalogue) {
  if (kind === "build") return gold(placingPrices(now, catalogue)[words.length - 2]);
  return kind === "stop" ? catalogue.name(contested(now)) : "";
}
