// Components shared by the parts of the board of Builders Duel.

import type { DuelPosition } from "../../gen/clerestory/v1/duel_pb.ts";
import { useBoard } from "../spots.tsx";

/** The position drawn, and the one before. */
export function useGame(): { now: DuelPosition; was: DuelPosition | undefined } {
  const { position, previous } = useBoard();
  return {
    now: position.game.value as DuelPosition,
    was: previous?.game.case === "duel" ? previous.game.value : undefined,
  };
}
