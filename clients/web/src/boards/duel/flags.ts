// The marks of a player of Builders Duel.

import type { DuelPosition } from "../../gen/clerestory/v1/duel_pb.ts";
import { say } from "../../language/texts.ts";
import type { PossibleFlag } from "../player.tsx";
import type { SeatLook } from "../types.ts";

export function flagsOf(now: DuelPosition, { colour }: SeatLook): PossibleFlag[] {
  const turn = now.turnOf === colour;
  // the longest-lived last, where marks that come and go beside them do not move them
  return [
    [turn && now.built, "built", say("flag.built")],
    [turn && now.cheap, "cheap", say("flag.cheap")],
    [now.toAct === colour, "acts", say("flag.acts")],
    [now.power === colour, "power", say("flag.power")],
    [now.firstPlayer === colour, "first", say("flag.first")],
  ];
}
