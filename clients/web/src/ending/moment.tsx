// The decision that turned a game for one seat, to be seen again, with a lesson that fits.

import { useEffect, useMemo } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import type { Game } from "../gen/clerestory/v1/games_pb.ts";
import { labelAmong } from "../language/labels.ts";
import { text } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { Trouble } from "../parts/parts.tsx";
import { Fitting } from "../path/fitting.tsx";
import { keepLevel } from "../path/progress.ts";
import { Review, turningPoint } from "../review/review.ts";

export interface MomentProps {
  game: Game;
  tokens: string[];
  seat: number;
  seats: readonly SeatLook[];
  /** Show the position before a ply, and then the ply. */
  onReplay(ply: number): void;
}

export default function Moment({ game, tokens, seat, seats, onReplay }: MomentProps) {
  const review = useMemo(() => new Review(), [game.gameId]);
  useEffect(() => {
    void review.start({ gameId: game.gameId, tokens });
    return () => review.stop();
  }, [review]);
  const ledger = review.ledger.value;
  useEffect(() => {
    if (ledger) keepLevel(game.game, game.gameId, ledger.seats[seat]);
  }, [ledger]);
  const turn = ledger && turningPoint(review.plies.value, review.errors.value, seat); // known when all is known
  const errors = review.errors.value.filter((error) => error.at.seat === seat).map((error) => error.at);
  const own = turn?.ply.seat === seat;
  return (
    <section class="moment" aria-label={say("moment")}>
      <h2>{say("moment")}</h2>
      <Trouble words={review.trouble.value} />
      {!ledger && <progress max={review.total.value || 1} value={review.done.value} aria-label={say("review.done")} />}
      {turn && (
        <>
          <p>
            {say("moment.turn", {
              round: turn.ply.round ? say("review.round", { round: turn.ply.round }) : say("turn.past", turn.ply),
              who: seats[turn.ply.seat ?? -1]?.name ?? say("nature"),
              what: turn.what,
              share: text.change(turn.share),
            })}{" "}
            {own &&
              turn.share < 0 &&
              turn.ply.best &&
              say("moment.better", { what: labelAmong(turn.ply.best, [turn.ply.action]) })}
          </p>
          <p>
            <button type="button" onClick={() => onReplay(turn.ply.ply)}>
              {say("moment.replay")}
            </button>
          </p>
        </>
      )}
      {ledger && !turn && <p>{say("moment.none")}</p>}
      {ledger && (
        <Fitting
          game={game.game}
          actions={[...errors, ...(turn && own ? [turn.ply] : [])].map(({ action }) => action?.text ?? "")}
        />
      )}
    </section>
  );
}
