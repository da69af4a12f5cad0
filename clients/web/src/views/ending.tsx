// How a game ended.

import type { SeatLook } from "../boards/types.ts";
import { EndReason, type GameEnd } from "../gen/clerestory/v1/games_pb.ts";
import type { Outcome } from "../gen/clerestory/v1/rules_pb.ts";
import { SeatName } from "../parts.tsx";
import { link } from "../route.ts";
import { colourName } from "../seats.ts";
import { text } from "../text.ts";

export function Ending({ end, seats, game }: { end: GameEnd; seats: readonly SeatLook[]; game: string }) {
  return (
    <section class="ending" aria-label="The end">
      {end.reason === EndReason.ABANDONED && <p>The game was abandoned.</p>}
      {end.reason === EndReason.RESIGNED && <p>{colourName(end.seat ?? 0)} resigned.</p>}
      {end.outcome && <Result outcome={end.outcome} seats={seats} />}
      <a class="button" href={link("study", "game", game, 0)}>
        Go through the game
      </a>
    </section>
  );
}

export function Result({ outcome, seats }: { outcome: Outcome; seats: readonly SeatLook[] }) {
  const best = Math.max(...outcome.winShares);
  const winners = seats.filter((seat) => outcome.winShares[seat.seat] === best);
  return (
    <>
      <p class="winner" data-testid="winner">
        {winners.map((seat) => (
          <SeatName key={seat.seat} look={seat} />
        ))}
        {winners.length > 1 ? " share the win" : " wins"}
      </p>
      {outcome.margins.length > 0 && (
        <ul class="margins">
          {seats.map((seat) => (
            <li key={seat.seat}>
              <SeatName look={seat} />: {text.finalPoints(outcome.margins[seat.seat] ?? 0)} points
            </li>
          ))}
        </ul>
      )}
      {!outcome.margins.every(Number.isInteger) && <p class="muted">{text.hundredths}</p>}
    </>
  );
}
