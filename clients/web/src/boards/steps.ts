// The step of a game in words: what is to be done, and what comes next.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { knows, say } from "../texts.ts";
import { ROUNDS } from "./cathedral/words.ts";

const PHASES = 4;
const ROUNDS_OF_PHASE = 3;

/** What is to be done now, and what comes next; empty for a game of which nothing is told. */
export function stepTold(game: Position["game"]): string {
  if (game.case !== "cathedral" && game.case !== "duel") return "";
  const { step } = game.value;
  const key = `step.${game.case}.${step}`;
  const found = [key + ending(game), key].find(knows);
  return found ? say(found) : step.replaceAll("_", " ");
}

/** What is added to the key of a step where something else follows it than in most rounds. */
function ending(game: Extract<Position["game"], { case: "cathedral" | "duel" }>): "" | ".last" | ".second" {
  if (game.case === "cathedral") return game.value.round === ROUNDS ? ".last" : "";
  const { phase, round, turnOf, firstPlayer } = game.value;
  if (!turnOf || turnOf === firstPlayer) return "";
  return phase === PHASES && round === ROUNDS_OF_PHASE ? ".last" : ".second";
}
