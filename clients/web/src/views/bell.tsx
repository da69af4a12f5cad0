// The bell: whether the browser notifies the user of their turns.

import { useSignal } from "@preact/signals";
import { mayPush, subscribe, unsubscribe } from "../game/bell.ts";
import type { Kept } from "../game/kept.ts";
import { pushed } from "../game/pushed.ts";
import { askable } from "../game/title.ts";
import { say } from "../language/texts.ts";
import { wordsOf } from "../service/api.ts";

/** By push messages, or where there are none, only as long as a tab shows the game. */
export function Bell({ kept }: { kept: Kept }) {
  const turning = useSignal<boolean | undefined>(undefined); // on or off, until the server has answered
  const turn = async (wanted: boolean) => {
    turning.value = wanted;
    try {
      const done = wanted ? await subscribe(kept) : await unsubscribe(kept);
      kept.refused.value = done ? "" : say("players.no_notices");
    } catch (error) {
      kept.refused.value = wordsOf(error);
    }
    turning.value = undefined;
  };
  if (mayPush(kept) && kept.mine.value.length)
    return (
      <label>
        <input
          type="checkbox"
          checked={turning.value ?? pushed(kept.id)}
          disabled={turning.value !== undefined}
          onChange={(event) => void turn(event.currentTarget.checked)}
        />{" "}
        {say("players.notify")}
      </label>
    );
  if (!askable()) return null;
  return (
    <button type="button" onClick={() => void Notification.requestPermission()}>
      {say("players.notify")}
    </button>
  );
}
