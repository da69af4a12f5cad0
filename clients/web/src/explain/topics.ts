// What the parts of a board are about, and what they would bring now.

import { amounts, numberOf, PRICES, placingCost } from "../boards/cathedral/words.ts";
import { placingPrices, slotsOf, wantedBy } from "../boards/duel/sections.ts";
import { effectOf, told } from "../boards/duel/words.ts";
import { COLOURS } from "../boards/places.ts";
import type { Card, Catalogue } from "../boards/types.ts";
import { listed } from "../boards/words.ts";
import type { CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { DuelPosition } from "../gen/clerestory/v1/duel_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { gameText, knows, say } from "../language/texts.ts";
import type { Explained } from "./index.tsx";

const RESOURCE = /^draft\.(sand|wood|stone)_/;

/** The key of the explanation of a part, such as `explain.cathedral.court`; nothing if there is none. */
export function topicOf(position: Position, place: string): string | undefined {
  const part = place.replace(/^\d\./, "");
  const kind = kindOf(part);
  const game = position.game.case;
  return [`explain.${game}.${part}`, `explain.${game}.${kind}`, `explain.${kind}`].find(knows);
}

function kindOf(place: string): string {
  if (RESOURCE.test(place)) return "card.resource";
  if (/^(draft|craftsman)\./.test(place)) return "card.craftsman";
  if (place.startsWith("card.")) return "card";
  if (place.startsWith("flag.")) return place;
  if (place === "power") return "flag.power";
  return place.replace(/\..*/, "");
}

/** The benefit of a part of the board at this point, in words; empty if it is unknown. */
export function nowAt(about: Explained, place: string): string {
  const { game } = about.position;
  if (game.case === "cathedral") return nowInCathedral(game.value, about, place);
  return game.case === "duel" ? nowInDuel(game.value, about, place) : "";
}

function nowInCathedral(now: CathedralPosition, { catalogue, viewer }: Explained, place: string): string {
  const [name = "", which = ""] = place.split(".");
  const own = viewer === undefined ? undefined : now.players[viewer];
  const card = (id: string | undefined) => (id ? catalogue.name(id) : "");
  const words: Record<string, () => string> = {
    mill: () => (own ? say("explain.cathedral.mill.now", { count: own.mill }) : ""),
    track: () => (now.drawn ? say("explain.cathedral.track.now", { cost: placingCost(now) }) : ""),
    court: () => say("explain.cathedral.court.now", { count: now.courtMetal }),
    stock: () =>
      which && say("explain.cathedral.stock.now", { count: left(now.stock, which), price: PRICES[which] ?? 0 }),
    kingsbridge: () => card(now.kingsbridgeCards[Number(which) - 1]),
    shiring: () => card(now.shiringCards[Number(which) - 1]),
    sites: () => listed((own?.resourceCards ?? []).map(card).filter(Boolean)),
    draft: () => brought(now, catalogue.of("resource_cards", which), which),
  };
  return words[name]?.() ?? "";
}

function nowInDuel(now: DuelPosition, { catalogue }: Explained, place: string): string {
  const [, row, column] = /^grid\.(\d)\.(\d)$/.exec(place) ?? [];
  if (row) return effectAt(now, catalogue, 3 * (Number(row) - 1) + Number(column) - 1);
  const [, seat, section] = /^(\d)\.section\.(I+)$/.exec(place) ?? [];
  return seat ? missing(now, catalogue, Number(seat), section ?? "") : "";
}

const effectAt = (now: DuelPosition, catalogue: Catalogue, index: number): string =>
  told(effectOf(catalogue.of("cards", now.grid[index] ?? "")));

/** The materials that a section still lacks, and what it costs to place one, two and so on at once. */
function missing(now: DuelPosition, catalogue: Catalogue, seat: number, section: string): string {
  const player = now.players[seat];
  const placed = (player && [player.section1, player.section2, player.section3])?.[section.length - 1] ?? [];
  const slots = slotsOf(wantedBy(catalogue, COLOURS[seat] ?? "", section), placed);
  const lacking = slots.flatMap(({ kind, missing }) => (missing ? [kind] : []));
  const what = listed(lacking.map((kind) => gameText("duel", `good.${kind}`)));
  const prices = placingPrices(now, catalogue).slice(0, lacking.length);
  const costs = prices.map((gold, index) => say("explain.duel.section.price", { count: index + 1, gold }));
  return what && `${say("explain.duel.section.now", { what })}; ${listed(costs)}`;
}

/** How much of a good there is at the market, or in the supply. */
const left = (goods: object | undefined, good: string): number =>
  Number((goods as Record<string, unknown> | undefined)?.[good] ?? 0);

/** What a resource card brings, for how many workers, and how much of it there is. */
function brought(now: CathedralPosition, card: Card | undefined, id: string): string {
  const number = numberOf(card, "yields");
  const count = numberOf(card, "workers");
  const good = id.replace(/_\d+$/, "");
  if (number === undefined || count === undefined || !knows(`thing.${good}`)) return "";
  return listed([
    say("explain.brought", { what: amounts({ [good]: number }), count }),
    say("explain.supplied", { count: left(now.supply, good) }),
  ]);
}
