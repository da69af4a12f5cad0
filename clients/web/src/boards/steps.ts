// The step of a game in words: the current task and the next step.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { knows, say } from "../language/texts.ts";
import { isCrowded, ROUNDS } from "./cathedral/words.ts";
import type { Catalogue } from "./types.ts";

const PHASES = 4;
const ROUNDS_OF_PHASE = 3;

/** The current task and the next step; empty for a game without such texts. */
export function stepTold(game: Position["game"], catalogue: Catalogue): string {
  if (game.case !== "cathedral" && game.case !== "duel") return "";
  const { step } = game.value;
  if (game.case === "cathedral" && step === "draft" && isCrowded(game.value, catalogue))
    return say("step.cathedral.draft.crowded");
  const key = `step.${game.case}.${step}`;
  const found = [key + ending(game), key].find(knows);
  return found ? say(found) : step.replaceAll("_", " ");
}

/** The suffix of the key of a step that is followed by an unusual step in this round. */
function ending(game: Extract<Position["game"], { case: "cathedral" | "duel" }>): "" | ".last" | ".second" {
  if (game.case === "cathedral") return game.value.round === ROUNDS ? ".last" : "";
  const { phase, round, turnOf, firstPlayer } = game.value;
  if (!turnOf || turnOf === firstPlayer) return "";
  return phase === PHASES && round === ROUNDS_OF_PHASE ? ".last" : ".second";
}
