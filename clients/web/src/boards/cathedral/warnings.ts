// What an action of The Pillars of the Earth gives up.

import type { CathedralPlayer, CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import type { LegalAction } from "../../gen/clerestory/v1/rules_pb.ts";
import { say } from "../../language/texts.ts";
import type { Catalogue } from "../types.ts";
import { listed } from "../words.ts";
import { actorOf, lackOf, METAL_PRICE, PRICES, permitted, ROUNDS, roomOf, tradeOf } from "./words.ts";

const MOST_GOLD = 30;
const FOR_LATER = ["foresight", "black_worker", "free_builder", "protection"]; // effects that act from the next round on
const NEXT_ROUND = ["castle", "start"]; // spaces that help in the next round only

interface Deciding {
  now: CathedralPosition;
  own: CathedralPlayer;
  catalogue: Catalogue;
}

type Warned = (words: readonly string[], deciding: Deciding) => (string | false)[];

const WARNED: Record<string, Warned> = {
  dismiss: ([card = ""], { own, catalogue }) => leaving(card, own.craftsmen, catalogue),
  hire: ([card = ""], { own, catalogue }) => joining(card, own, catalogue),
  place: ([, space = ""], deciding) => placing(space, deciding),
  sell: ([good = "", number], { own }) => gaining(Number(number) * (PRICES[good] ?? METAL_PRICE), own),
};

export function warningsInCathedral(
  { kind, arguments: words }: LegalAction,
  now: CathedralPosition,
  catalogue: Catalogue,
): string[] {
  const own = actorOf(now);
  const found = own ? (WARNED[kind]?.(words, { now, own, catalogue }) ?? []) : [];
  return found.flatMap((one) => one || []);
}

/** The losses with a craftsman: others who work only beside him, and the trades he permits at the market. */
function leaving(card: string, held: readonly string[], catalogue: Catalogue): (string | false)[] {
  const kept = held.filter((one) => one !== card);
  const idled = kept.filter((one) => {
    const trade = tradeOf(catalogue, one);
    return trade && lackOf(trade, kept, catalogue) && !lackOf(trade, held, catalogue);
  });
  const permit = tradeOf(catalogue, card)?.permits ?? "";
  const lost = permit !== "" && kept.every((one) => tradeOf(catalogue, one)?.permits !== permit);
  return [
    idled.length > 0 && say("actions.idles", { cards: listed(namesOf(idled, catalogue)) }),
    lost && say("actions.permit_lost", { what: permitted(permit) }),
  ];
}

const namesOf = (cards: readonly string[], catalogue: Catalogue) => [...new Set(cards.map((id) => catalogue.name(id)))];

/** What a new craftsman lacks: another one beside him, or room. */
function joining(card: string, own: CathedralPlayer, catalogue: Catalogue): (string | false)[] {
  const trade = tradeOf(catalogue, card);
  const room = roomOf(own, catalogue);
  return [
    trade ? lackOf(trade, own.craftsmen, catalogue) : false,
    own.craftsmen.length >= room && say("actions.full", { number: room }),
  ];
}

/** What a builder on a space would bring too late, or what cannot be used. */
function placing(space: string, { now, own, catalogue }: Deciding): (string | false)[] {
  const [place = "", number] = space.split(".");
  const at = Number(number) - 1;
  const last = now.round === ROUNDS;
  if (place === "shiring") return joining(now.shiringCards[at] ?? "", own, catalogue);
  const card = place === "kingsbridge" ? catalogue.of("advantage_cards", now.kingsbridgeCards[at] ?? "") : undefined;
  const effect = (card?.values.effect as { kind?: string } | undefined)?.kind ?? "";
  return [last && (NEXT_ROUND.includes(place) || FOR_LATER.includes(effect)) && say("actions.too_late")];
}

function gaining(gold: number, own: CathedralPlayer): (string | false)[] {
  const lost = own.gold + gold - MOST_GOLD;
  return [lost > 0 && say("plan.lost", { count: lost })];
}
