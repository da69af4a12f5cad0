// The board of The Pillars of the Earth.

import { Ground } from "../spots.tsx";
import type { BoardProps } from "../types.ts";
import { places } from "./places.ts";
import { Seats } from "./seats.tsx";
import { Draft, Track } from "./supply.tsx";
import { Town } from "./town.tsx";

export default function CathedralBoard(props: BoardProps) {
  const { game } = props.position;
  if (game.case !== "cathedral") return null;
  return (
    <Ground board={props} places={places(game.value, props.actions)} class="kingsbridge-board">
      <Draft />
      <Track />
      <Town />
      <Seats />
    </Ground>
  );
}
