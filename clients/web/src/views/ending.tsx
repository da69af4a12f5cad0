// How a game ended, and what can follow.

import { useSignal } from "@preact/signals";
import { wordsOf } from "../api.ts";
import type { SeatLook } from "../boards/types.ts";
import { type Checked, check } from "../check.ts";
import { EndReason, type Game } from "../gen/clerestory/v1/games_pb.ts";
import type { Outcome } from "../gen/clerestory/v1/rules_pb.ts";
import type { Kept } from "../kept.ts";
import { SeatName, Trouble } from "../parts.tsx";
import { rematch } from "../rematch.ts";
import { go, link } from "../route.ts";
import { text } from "../text.ts";
import { rich, say } from "../texts.ts";

interface Props {
  kept: Kept;
  game: Game;
  seats: readonly SeatLook[];
}

export function Ending({ kept, game, seats }: Props) {
  const end = game.end;
  const who = seats[end?.seat ?? 0]?.name ?? "";
  return (
    <section class="ending" aria-label={say("end")}>
      {end?.reason === EndReason.ABANDONED && <p>{say("end.abandoned")}</p>}
      {end?.reason === EndReason.RESIGNED && <p>{say("end.resigned", { who })}</p>}
      {end?.outcome && <Result outcome={end.outcome} seats={seats} />}
      <Following kept={kept} game={game} />
      <Check kept={kept} game={game} />
    </section>
  );
}

/** What can follow a game. */
function Following({ kept, game }: Omit<Props, "seats">) {
  const trouble = useSignal("");
  const again = async () => {
    try {
      go(["game", await rematch(game, kept.keys.value)]);
    } catch (error) {
      trouble.value = wordsOf(error);
    }
  };
  return (
    <>
      <Trouble words={trouble.value} />
      <p class="row">
        <a class="button main" href={link("study", "game", game.gameId, game.ply, "review")}>
          {say("end.review")}
        </a>
        {kept.mine.value.length > 0 && (
          <button type="button" onClick={() => void again()}>
            {say("end.rematch")}
          </button>
        )}
        <a class="button" href="#/">
          {say("end.new")}
        </a>
      </p>
    </>
  );
}

/** Whether the luck was fixed beforehand. */
function Check({ kept, game }: Omit<Props, "seats">) {
  const found = useSignal<Checked | undefined>(undefined);
  const look = async () => {
    found.value = await check(game, kept.keys.value);
  };
  return (
    <p class="row" aria-live="polite">
      {found.value ? (
        say(`check.${found.value}`)
      ) : (
        <button type="button" onClick={() => void look()}>
          {say("check")}
        </button>
      )}
    </p>
  );
}

export function Result({ outcome, seats }: { outcome: Outcome; seats: readonly SeatLook[] }) {
  const best = Math.max(...outcome.winShares);
  const winners = seats.filter((seat) => outcome.winShares[seat.seat] === best);
  const who = winners.map((seat) => <SeatName key={seat.seat} look={seat} />);
  return (
    <>
      <p class="winner" data-testid="winner">
        {rich(winners.length > 1 ? "end.share" : "end.wins", { who })}
      </p>
      {outcome.margins.length > 0 && (
        <ul class="margins">
          {seats.map((seat) => {
            const margin = outcome.margins[seat.seat] ?? 0;
            const points = text.finalPoints(margin);
            return (
              <li key={seat.seat}>
                <SeatName look={seat} />: {say("end.points", { points, count: Math.abs(margin) })}
              </li>
            );
          })}
        </ul>
      )}
      {!outcome.margins.every(Number.isInteger) && <p class="muted">{say("end.hundredths")}</p>}
    </>
  );
}
