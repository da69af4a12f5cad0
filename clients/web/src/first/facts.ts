// What the rules say for a move against another one, where a search finds no difference in what they bring.

import { effectOf, tradeOf, tradeTold } from "../boards/cathedral/words.ts";
import type { Catalogue } from "../boards/types.ts";
import { listed } from "../boards/words.ts";
import type { CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { say } from "../language/texts.ts";

/** What speaks for a better move, in words; empty for nothing. Actions are given by their texts. */
export function factFor(better: string, other: string, { game }: Position, catalogue: Catalogue): string {
  if (game.case === "cathedral") return cathedralFact(better.split(" "), other.split(" "), game.value, catalogue);
  return game.case === "duel" ? sealFact(better.split(" "), other.split(" ")) : "";
}

type Words = readonly string[];

function cathedralFact(better: Words, other: Words, now: CathedralPosition, catalogue: Catalogue): string {
  const [verb, card = ""] = better;
  if (verb === "redraw" || verb === "accept") return drawFact(verb === "accept", now);
  if (verb === "hire") return ended(workOf(card, catalogue));
  if (verb === "place") return ended(cardTold(cardAt(better[2] ?? "", now), catalogue));
  const kept = verb === "dismiss" && other[0] === "dismiss" ? cardTold(other[1] ?? "", catalogue) : "";
  return kept && say("first.keeps", { what: kept });
}

/** Whether one's own builder may be first, or later, when the next ones cost less. */
function drawFact(accepts: boolean, { drawn, toAct }: CathedralPosition): string {
  return say((drawn === toAct) === accepts ? "first.earlier" : "first.later");
}

/** The card that a builder brings its owner from a place such as `shiring.1`; empty for none. */
function cardAt(place: string, { kingsbridgeCards, shiringCards }: CathedralPosition): string {
  const [where, number] = place.split(".");
  const cards = where === "shiring" ? shiringCards : where === "kingsbridge" ? kingsbridgeCards : [];
  return cards[Number(number) - 1] ?? "";
}

const cardTold = (id: string, catalogue: Catalogue): string =>
  id && listed([catalogue.name(id), workOf(id, catalogue)]);

/** What a craftsman or an advantage does. */
function workOf(id: string, catalogue: Catalogue): string {
  const trade = tradeOf(catalogue, id);
  return trade ? tradeTold(trade, catalogue) : effectOf(catalogue.of("advantage_cards", id));
}

const ended = (words: string): string => words && `${words}.`;

/** What is known about seals in a conflict. */
function sealFact([verb, better = ""]: Words, [otherVerb, other = ""]: Words): string {
  if (verb === "stop") return say("first.gone");
  if (otherVerb === "stop") return say("first.stop");
  if (verb !== otherVerb || (verb !== "flip" && verb !== "keep")) return "";
  if (better === "personal") return say("first.personal");
  if (other === "personal") return say("first.last");
  const [[least = 0, most = 0], [otherLeast = 0]] = [facesOf(better), facesOf(other)];
  return least > otherLeast ? say("first.least", { number: least }) : say("first.most", { number: most });
}

/** The two faces of a seal such as `2/3`, the lower one first. */
const facesOf = (seal: string): number[] => seal.split("/").map(Number);
