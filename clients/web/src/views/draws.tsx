// A player who may have builders drawn again can accept all draws of the rest of the round at once.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import type { Kept } from "../kept.ts";
import { say } from "../texts.ts";

const STANDS = "accept"; // kind of the action that lets a draw stand

/** The game, seat and round in which all draws stand. */
const standing = signal("");

interface Props {
  kept: Kept;
  actions: readonly LegalAction[];
  position: Position;
}

/** The choice, where a draw may stand; once it is made, the page answers. */
export function KeepDraws({ kept, actions, position }: Props) {
  const stands = actions.find((action) => action.kind === STANDS)?.action?.text;
  const round = position.game.value?.round ?? 0;
  const here = `${kept.id}:${kept.turn.value}:${round}`;
  const busy = kept.busy.value;
  useEffect(() => {
    if (!stands || kept.busy.value || standing.value !== here) return;
    void kept.play(stands).then((played) => {
      if (!played) standing.value = ""; // rather than that it is refused again and again
    });
  }, [actions, busy, here, standing.value]);
  if (!stands) return null;
  return (
    <label>
      <input
        type="checkbox"
        checked={standing.value === here}
        onChange={(event) => {
          standing.value = event.currentTarget.checked ? here : "";
        }}
      />{" "}
      {say("draws.stand")}
    </label>
  );
}
