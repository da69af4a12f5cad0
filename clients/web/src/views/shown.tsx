// The event that a seat has been shown at a real table: its player enters it while nobody else looks.

import { useSignal } from "@preact/signals";
import type { GameView } from "../gen/clerestory/v1/games_pb.ts";
import type { Kept } from "../kept.ts";
import { colourName } from "../seats.ts";

export function Shown({ kept }: { kept: Kept }) {
  const { views } = kept.state.value;
  return <>{views.map((view) => view.unsaid.length > 0 && <Question key={view.seat} kept={kept} view={view} />)}</>;
}

function Question({ kept, view: { seat = 0, unsaid } }: { kept: Kept; view: GameView }) {
  const open = useSignal(kept.mine.value.length === 1); // people share this screen: the others look away first
  const colour = colourName(seat);
  return (
    <div class="notice" role="group" aria-label={`What ${colour} has been shown`}>
      <p>
        {colour} has been shown what comes next, and nobody else. Say what it was, and hints and bots reckon with it.
      </p>
      {open.value ? (
        unsaid.map(({ text, label }) => (
          <button key={text} type="button" disabled={kept.busy.value} onClick={() => void kept.say(seat, text)}>
            {label}
          </button>
        ))
      ) : (
        <button type="button" onClick={() => (open.value = true)}>
          I am {colour}, and nobody else looks
        </button>
      )}
    </div>
  );
}
