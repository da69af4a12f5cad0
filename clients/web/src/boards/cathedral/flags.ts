// The marks of a player of The Pillars of the Earth.

import type { CathedralPlayer, CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import { gameText, say } from "../../language/texts.ts";
import type { PossibleFlag } from "../player.tsx";
import type { SeatLook } from "../types.ts";
import { listed } from "../words.ts";

export const flagsOf = (now: CathedralPosition, { colour }: SeatLook, player: CathedralPlayer): PossibleFlag[] => [
  [now.toAct === colour, "acts", say("flag.acts")],
  [now.startingPlayer === colour, "starts", say("flag.starts")],
  [player.passed, "passed", say("flag.passed")],
  [player.spared, "spared", say("flag.spared")],
  [player.limited, "limited", say("flag.limited")],
  [player.limitedNext, "limited_next", say("flag.limited_next")],
  [
    player.bought.length > 0,
    "bought",
    say("flag.bought", { what: listed(player.bought.map((kind) => gameText("cathedral", `good.${kind}`))) }),
  ],
];
