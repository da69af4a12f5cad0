// The state of a game in one line: the current step, its cost, the next step.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { say } from "../language/texts.ts";
import { placingCost } from "./cathedral/words.ts";
import { CONTEST, contested } from "./duel/sections.ts";
import { COLOURS } from "./places.ts";
import { stepTold } from "./steps.ts";
import type { Catalogue, SeatLook } from "./types.ts";

/** The line. */
export function summary(position: Position, catalogue: Catalogue, seats: readonly SeatLook[]): string {
  const { game } = position;
  if (game.case === "cathedral") {
    const { round, step, drawn, event } = game.value;
    const who = seats[COLOURS.indexOf(drawn)]?.name ?? drawn;
    return joined(
      say("summary.round", { round }),
      told(step, game, catalogue),
      drawn && say("summary.builder", { who, cost: placingCost(game.value) }),
      event && say("summary.event", { event: catalogue.name(event) }),
    );
  }
  if (game.case !== "duel") return "";
  const { phase, round, step } = game.value;
  const card = game.value.card || (CONTEST.includes(step) ? contested(game.value) : "");
  return joined(say("summary.phase", { phase, round }), told(step, game, catalogue), card && catalogue.name(card));
}

const joined = (...parts: string[]): string => parts.filter(Boolean).join(" · ");

/** The current task and the next step; the end of a game is shown elsewhere. */
const told = (step: string, game: Position["game"], catalogue: Catalogue): string =>
  step === "over" ? "" : stepTold(game, catalogue);
