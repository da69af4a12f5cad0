// The board of Builders Duel.

import { Ground } from "../spots.tsx";
import type { BoardProps } from "../types.ts";
import { Camps } from "./camps.tsx";
import { Course } from "./contest.tsx";
import { Grid } from "./grid.tsx";
import { places } from "./places.ts";

export default function DuelBoard(props: BoardProps) {
  const { game } = props.position;
  if (game.case !== "duel") return null;
  return (
    <Ground board={props} places={places(game.value, props.actions)} class="duel-board">
      <Grid />
      <Course />
      <Camps />
    </Ground>
  );
}
