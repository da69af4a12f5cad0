// What people at a table say to each other: a dialog of set phrases, and those that arrive.

import type { SeatLook } from "../boards/types.ts";
import type { Kept } from "../game/kept.ts";
import { keyOf, mute, muted, PHRASES } from "../game/phrases.ts";
import { type Game, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { say } from "../language/texts.ts";
import { Dialog } from "../parts/parts.tsx";

/** Whether another person is at the table, and a seat here to speak from. */
export const mayTalk = (kept: Kept, { seats }: Game): boolean =>
  kept.mine.value.length > 0 &&
  seats.some(({ seat, kind }) => kind === SeatKind.PERSON && !kept.mine.value.includes(seat));

export function Talk({ kept, onClose }: { kept: Kept; onClose(): void }) {
  return (
    <Dialog title={say("phrases")} onClose={onClose}>
      <div class="row phrases">
        {PHRASES.map((phrase) => (
          <button
            key={phrase}
            type="button"
            onClick={() => {
              void kept.sendPhrase(phrase);
              onClose();
            }}
          >
            {say(keyOf(phrase))}
          </button>
        ))}
      </div>
      <label>
        <input type="checkbox" checked={muted.value} onChange={(event) => mute(event.currentTarget.checked)} />{" "}
        {say("phrases.mute")}
      </label>
    </Dialog>
  );
}

/** The phrases that have just arrived, over the board, so that nothing moves. */
export function Spoken({ kept, seats }: { kept: Kept; seats: readonly SeatLook[] }) {
  const shown = kept.heard.latest.value.filter(({ seat }) => !muted.value || kept.mine.value.includes(seat));
  return (
    <div class="spoken" role="status">
      {shown.map((one) => (
        <p key={one}>{say("with", { name: seats[one.seat]?.name ?? "", what: say(keyOf(one.phrase)) })}</p>
      ))}
    </div>
  );
}
