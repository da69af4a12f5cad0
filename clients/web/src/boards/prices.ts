// What an action costs, or which card it is about, where neither its label nor the name of its place says so.

import type { CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { DuelPosition } from "../gen/clerestory/v1/duel_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { say } from "../language/texts.ts";
import { actorOf, amounts, numberOf, PRIORY, placingCost, priorPoints } from "./cathedral/words.ts";
import { contested, placingPrices } from "./duel/sections.ts";
import type { Catalogue } from "./types.ts";
import { listed } from "./words.ts";

/** The text beside the label of an action; empty if the label suffices. */
export function besides(action: LegalAction, { game }: Position, catalogue: Catalogue): string {
  if (game.case === "cathedral") return inCathedral(action, game.value, catalogue);
  return game.case === "duel" ? inDuel(action, game.value, catalogue) : "";
}

const priceOf = (count: number) => (count ? amounts({ gold: count }) : "");

const gold = (number: number | undefined) => (number ? say("card.costs", { number }) : "");

function inCathedral(
  { kind, arguments: [id = "", space = ""] }: LegalAction,
  now: CathedralPosition,
  catalogue: Catalogue,
) {
  if (kind === "hire") return gold(numberOf(catalogue.of("craftsmen", id), "cost"));
  if (kind === "place") return listed([thereIs(space, now, catalogue), priceOf(placingCost(now))]);
  if (kind === "protect") return say("actions.no_cube");
  const workers = kind === "take" ? numberOf(catalogue.of("resource_cards", id), "workers") : undefined;
  return workers === undefined ? "" : say("card.workers", { number: workers });
}

/** What a builder gets on a space. */
function thereIs(space: string, now: CathedralPosition, catalogue: Catalogue): string {
  const [place = "", number] = space.split(".");
  const at = Number(number) - 1;
  if (place === "kingsbridge") return catalogue.name(now.kingsbridgeCards[at] ?? "");
  if (place === "shiring") return catalogue.name(now.shiringCards[at] ?? "");
  if (place === "priory")
    return amounts({ vp: (PRIORY[now.priory.indexOf("")] ?? 0) + priorPoints(actorOf(now), catalogue) });
  return place === "court" && now.court.indexOf("") === 0 && now.courtMetal ? amounts({ metal: 1 }) : "";
}

function inDuel({ kind, arguments: words }: LegalAction, now: DuelPosition, catalogue: Catalogue) {
  if (kind === "build") return gold(placingPrices(now, catalogue)[words.length - 2]);
  return kind === "stop" ? catalogue.name(contested(now)) : "";
}
