// What the parts of a board are about, and what they would bring now.

import { numberOf } from "../boards/cathedral/words.ts";
import type { CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { knows, say } from "../texts.ts";
import type { Explained } from "./index.tsx";

const RESOURCE = /^draft\.(sand|wood|stone)_/;

/** The key of the explanation of a part, such as `explain.cathedral.court`; nothing if there is none. */
export function topicOf(position: Position, place: string): string | undefined {
  const game = position.game.case ?? "";
  const key = `explain.${game}.${kindOf(place.replace(/^\d\./, ""))}`;
  return knows(key) ? key : undefined;
}

function kindOf(place: string): string {
  if (RESOURCE.test(place)) return "card.resource";
  if (/^(draft|craftsman)\./.test(place)) return "card.craftsman";
  if (place.startsWith("card.")) return "card";
  return place.replace(/\..*/, "");
}

/** What a part of the board would bring now, in words; empty if nothing can be told. */
export function nowAt({ position, catalogue, viewer }: Explained, place: string): string {
  if (position.game.case !== "cathedral") return "";
  const now = position.game.value;
  const [name = "", which = ""] = place.split(".");
  const card = (id: string | undefined) => (id ? catalogue.name(id) : "");
  const told: Record<string, () => string> = {
    mill: () => say("explain.cathedral.mill.now", { count: now.players[viewer ?? 0]?.mill ?? 0 }),
    track: () => say("explain.cathedral.track.now", { cost: now.cost }),
    court: () => say("explain.cathedral.court.now", { count: now.courtMetal }),
    stock: () => say("explain.cathedral.stock.now", { count: left(now, which), price: PRICES[which] ?? 0 }),
    kingsbridge: () => card(now.kingsbridgeCards[Number(which) - 1]),
    shiring: () => card(now.shiringCards[Number(which) - 1]),
    draft: () => brought(catalogue.of("resource_cards", which), which),
  };
  return told[name]?.() ?? "";
}

const PRICES: Record<string, number> = { sand: 2, wood: 3, stone: 4 }; // printed on the board

const left = (now: CathedralPosition, good: string): number =>
  Number((now.stock as Record<string, unknown> | undefined)?.[good] ?? 0);

/** What a resource card brings, and for how many workers. */
function brought(card: Parameters<typeof numberOf>[0], id: string): string {
  const number = numberOf(card, "yields");
  const count = numberOf(card, "workers");
  const good = id.replace(/_\d+$/, "");
  if (number === undefined || count === undefined || !knows(`thing.${good}`)) return "";
  return say("explain.brought", { number, good: say(`thing.${good}` as "thing.wood"), count });
}
