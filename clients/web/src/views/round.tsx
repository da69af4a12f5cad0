// The card that closes a round: the gains of each seat. It closes after a while, by any key, and by any press.

import { useEffect } from "preact/hooks";
import { Good } from "../boards/art.tsx";
import type { SeatLook } from "../boards/types.ts";
import type { RoundOver } from "../game/rounds.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { say } from "../language/texts.ts";
import { SeatSign } from "../parts/parts.tsx";

interface Props {
  over: RoundOver;
  /** The last position of the round. */
  position: Position | undefined;
  seats: readonly SeatLook[];
  onClose(): void;
}

export function RoundCard({ over, position, seats, onClose }: Props) {
  useEffect(() => {
    addEventListener("keydown", onClose);
    addEventListener("pointerdown", onClose);
    return () => {
      removeEventListener("keydown", onClose);
      removeEventListener("pointerdown", onClose);
    };
  }, [onClose]);
  const title = titleOf(position);
  return (
    <section class="round-end pictured" role="status" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {over.brought.map(({ seat, points, told }) => (
          <li key={seat}>
            <p class="brought">
              {seats[seat] && <SeatSign look={seats[seat]} />} <bdi>{seats[seat]?.name}</bdi>
              <b class="gained">
                <bdi>{points < 0 ? `−${-points}` : `+${points}`}</bdi> <Good kind="vp" />
                <span class="unseen"> {say(position?.game.case === "duel" ? "thing.points" : "thing.vp")}</span>
              </b>
            </p>
            <ol>
              {told.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
      <button type="button" onClick={onClose}>
        {say("round.on")}
      </button>
    </section>
  );
}

/** The round in words, as the line above the table says it. */
function titleOf(position: Position | undefined): string {
  const game = position?.game;
  if (game?.case === "cathedral") return say("summary.round", { round: game.value.round });
  return game?.case === "duel" ? say("summary.phase", { phase: game.value.phase, round: game.value.round }) : "";
}
