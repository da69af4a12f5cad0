// What has just happened, in one sentence, for those who do not see it.

import type { SeatLook } from "./boards/types.ts";
import type { AppliedAction } from "./gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "./labels.ts";
import { actor } from "./seats.ts";
import { say } from "./texts.ts";

/** Who did what last, and whether it is the listener's turn. */
export function newsOf(log: readonly (AppliedAction | undefined)[], seats: readonly SeatLook[], mine: boolean): string {
  const last = log[log.length - 1];
  const told = last && say("news", { who: actor(last.turn, seats), what: labelOf(last.action) });
  return [told, mine && say("news.your_turn")].filter(Boolean).join(" ");
}
