// A player who may have builders drawn again can accept all draws of the rest of the round, or of the game, at once. Where
// another draw could only be the same, the page accepts by itself.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { COLOURS } from "../boards/places.ts";
import type { Kept } from "../game/kept.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { say } from "../language/texts.ts";

const STANDS = "accept"; // kind of the action that lets a draw stand

/** The game, seat and round in which all draws stand; 0 is every round. */
const standing = signal("");

/** Whether a draw from the bag could only bring the colour that has been drawn. */
function isSame({ game }: Position): boolean {
  if (game.case !== "cathedral") return false;
  const { players, drawn } = game.value;
  return players.every(({ bag }, seat) => bag === 0 || COLOURS[seat] === drawn);
}

interface Props {
  kept: Kept;
  actions: readonly LegalAction[];
  position: Position;
}

/** The choice, where a draw may stand; once it is made, the page answers. */
export function KeepDraws({ kept, actions, position }: Props) {
  const stands = actions.find((action) => action.kind === STANDS)?.action?.text;
  const round = position.game.value?.round ?? 0;
  const seat = `${kept.id}:${kept.turn.value}`;
  const choices = [
    [`${seat}:${round}`, say("draws.stand")],
    [`${seat}:0`, say("draws.game")],
  ] as const;
  const busy = kept.busy.value;
  const all = isSame(position) || choices.some(([name]) => name === standing.value);
  const refused = useRef<readonly LegalAction[]>();
  useEffect(() => {
    if (!stands || kept.busy.value || !all || refused.current === actions) return;
    void kept.play(stands).then((played) => {
      if (played) return;
      standing.value = ""; // rather than that it is refused again and again
      refused.current = actions;
    });
  }, [actions, busy, all]);
  if (!stands) return null;
  return (
    <>
      {choices.map(([name, words]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={standing.value === name}
            onChange={(event) => {
              standing.value = event.currentTarget.checked ? name : "";
            }}
          />{" "}
          {words}
        </label>
      ))}
    </>
  );
}
