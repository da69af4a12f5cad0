// The event that a seat has been shown at a real table: its player enters it in private.

import { useSignal } from "@preact/signals";
import { looks } from "../boards/seats.ts";
import type { Kept } from "../game/kept.ts";
import type { GameView } from "../gen/clerestory/v1/games_pb.ts";
import { labelOf } from "../language/labels.ts";
import { say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";

export function Shown({ kept }: { kept: Kept }) {
  const { views } = kept.state.value;
  return (
    <>{views.map((view) => view.privateOutcomes.length > 0 && <Question key={view.seat} kept={kept} view={view} />)}</>
  );
}

function Question({ kept, view: { seat = 0, privateOutcomes } }: { kept: Kept; view: GameView }) {
  const open = useSignal(kept.mine.value.length === 1); // people share this screen: the others look away first
  const who = looks(kept.game.value?.seats ?? [])[seat]?.name ?? "";
  return (
    <div class="notice" role="group" aria-label={say("shown", { who })}>
      <p>{say("shown.what", { who })}</p>
      {open.value ? (
        privateOutcomes.map((action) => (
          <Button key={action.text} off={kept.busy.value} onPress={() => void kept.say(seat, action.text)}>
            {labelOf(action)}
          </Button>
        ))
      ) : (
        <button type="button" onClick={() => (open.value = true)}>
          {say("shown.alone", { who })}
        </button>
      )}
    </div>
  );
}
