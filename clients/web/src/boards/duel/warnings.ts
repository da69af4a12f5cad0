// What an action of Builders Duel gives up.

import type { DuelPosition } from "../../gen/clerestory/v1/duel_pb.ts";
import type { LegalAction } from "../../gen/clerestory/v1/rules_pb.ts";
import { say } from "../../language/texts.ts";
import { COLOURS } from "../places.ts";
import type { Catalogue } from "../types.ts";
import { listed } from "../words.ts";
import { lineOf } from "./places.ts";
import { contested } from "./sections.ts";

export function warningsInDuel(
  { kind, arguments: words }: LegalAction,
  now: DuelPosition,
  catalogue: Catalogue,
  actions: readonly LegalAction[],
): string[] {
  if (kind === "claim") return foreign(lineOf(words, now), now, catalogue);
  if (kind === "flip") return [...foreign([contested(now)], now, catalogue), ...ending(words)];
  return kind === "build" || kind === "end" ? unused(kind, actions, catalogue) : [];
}

/** What a player can do no more in a conflict after the personal seal. */
const ending = ([seal]: readonly string[]) => (seal === "personal" ? [say("actions.personal")] : []);

/** Whether a card works only for the seat of another colour. */
export function isForeign(id: string, colour: string | undefined, catalogue: Catalogue): boolean {
  const frame = String(catalogue.of("cards", id)?.values.frame ?? "");
  return colour !== undefined && frame !== colour && COLOURS.includes(frame);
}

/** The cards that do not work for the player who is to act. */
function foreign(cards: readonly string[], now: DuelPosition, catalogue: Catalogue): string[] {
  const names = cards.filter((id) => isForeign(id, now.toAct, catalogue)).map((id) => catalogue.name(id));
  return names.length ? [say("actions.foreign", { cards: listed(names) })] : [];
}

/** Actions that are no longer possible once the player has built or ended the turn. */
function unused(kind: string, actions: readonly LegalAction[], catalogue: Catalogue): string[] {
  const names = actions.filter((one) => one.kind === "use").map(({ arguments: [id = ""] }) => catalogue.name(id));
  const unbuilt = kind === "end" && actions.some((one) => one.kind === "build");
  const idle = names.length ? [say("actions.idles", { cards: listed([...new Set(names)]) })] : [];
  return unbuilt ? [...idle, say("actions.unbuilt")] : idle;
}
