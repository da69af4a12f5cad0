// The three moments of a game for one seat: the turning point, its costliest error, its largest luck.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import { link } from "../browser/route.ts";
import type { Game } from "../gen/clerestory/v1/games_pb.ts";
import { labelOf } from "../language/labels.ts";
import { text } from "../language/text.ts";
import { rich, say } from "../language/texts.ts";
import { Trouble } from "../parts/parts.tsx";
import { Fitting } from "../path/fitting.tsx";
import { momentsOf, Review } from "./review.ts";

export interface MomentsProps {
  game: Game;
  tokens: string[];
  seat: number;
  seats: readonly SeatLook[];
}

export default function Moments({ game, tokens, seat, seats }: MomentsProps) {
  const review = useMemo(() => new Review(), [game.gameId]);
  useEffect(() => {
    void review.start({ gameId: game.gameId, tokens });
    return () => review.stop();
  }, [review]);
  const found = momentsOf(review.plies.value, review.errors.value, seat);
  const errors = review.errors.value.filter((error) => error.at.seat === seat).map((error) => error.at);
  const turns = found.map((one) => one.ply).filter((ply) => ply.seat === seat);
  return (
    <div class="moments">
      <h2>{say("moments")}</h2>
      <Trouble words={review.trouble.value} />
      {review.running.value && (
        <progress max={review.total.value || 1} value={review.done.value} aria-label={say("review.done")} />
      )}
      <ul>
        {found.map(({ kind, ply, what, share }) => (
          <li key={kind}>
            {told(kind, {
              move: (
                <a href={link("study", "game", game.gameId, ply.ply - 1, "review")}>
                  {say("turn.past", { ply: ply.ply })}
                </a>
              ),
              what,
              share: text.change(share),
              who: seats[ply.seat ?? -1]?.name ?? say("nature"),
            })}
            {kind === "error" && ply.best && <> {say("moments.better", { what: labelOf(ply.best) })}</>}
          </li>
        ))}
      </ul>
      {!review.running.value && (
        <Fitting game={game.game} actions={[...errors, ...turns].map(({ action }) => action?.text ?? "")} />
      )}
      {!review.running.value && !found.length && <p>{say("moments.none")}</p>}
    </div>
  );
}

interface Told {
  move: ComponentChildren;
  what: string;
  share: string;
  who: string;
}

function told(kind: "turn" | "error" | "luck", { who, ...given }: Told): ComponentChildren[] {
  return kind === "turn" ? rich("moments.turn", { ...given, who }) : rich(`moments.${kind}`, given);
}
