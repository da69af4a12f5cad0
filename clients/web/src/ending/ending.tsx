// How a game ended, and what can follow.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Church } from "../boards/cathedral/church.tsx";
import { winnersOf } from "../boards/seats.ts";
import type { SeatLook } from "../boards/types.ts";
import { go, link } from "../browser/route.ts";
import { noteOver } from "../first/wishes.ts";
import { type Checked, check } from "../game/check.ts";
import type { Kept } from "../game/kept.ts";
import { rematch } from "../game/rematch.ts";
import { roundOf } from "../game/rounds.ts";
import { EndReason, type Game } from "../gen/clerestory/v1/games_pb.ts";
import type { Outcome } from "../gen/clerestory/v1/rules_pb.ts";
import { text } from "../language/text.ts";
import { gameText, rich, say } from "../language/texts.ts";
import { offline } from "../offline/switch.ts";
import { Button } from "../parts/button.tsx";
import { SeatName, SeatSign, Trouble } from "../parts/parts.tsx";
import { NextStep } from "../path/next.tsx";
import { keepEnd } from "../path/progress.ts";
import { wordsOf } from "../service/api.ts";
import { useHere, useLater } from "../service/loading.ts";
import type { EarlyEnd } from "../study/study.ts";
import { offer, pictureOf } from "./picture.ts";
import { Bars, Scores, wholePoints } from "./points.tsx";

interface Props {
  kept: Kept;
  game: Game;
  seats: readonly SeatLook[];
}

interface EndingProps extends Props {
  onReplay(ply: number): void;
}

export function Ending({ kept, game, seats, onReplay }: EndingProps) {
  const { outcome, reason, seat = 0 } = game.end ?? {};
  useEffect(() => {
    keepEnd(game, kept.mine.value);
    noteOver(game.gameId);
  }, [game.gameId]);
  const who = seats[seat]?.name ?? "";
  const own = kept.mine.value.length > 0 && game.ply > 0;
  const position = kept.view.value?.position;
  return (
    <section class="ending" aria-label={say("end")}>
      <div class="finale pictured">
        <Church round={(position && roundOf(position)) ?? 1} finished={reason === EndReason.PLAYED} />
        <div class="result">
          {reason === EndReason.ABANDONED && <p>{say("end.abandoned")}</p>}
          {reason === EndReason.RESIGNED && <p>{say("end.resigned", { who })}</p>}
          {outcome && <Winner game={game.game} outcome={outcome} seats={seats} />}
          {outcome && <Tally game={game.game} outcome={outcome} seats={seats} />}
        </div>
      </div>
      <Following kept={kept} game={game} seats={seats} />
      {outcome && <Bars game={game.game} outcome={outcome} seats={seats} />}
      {own && !offline && <Moment game={game} seats={seats} kept={kept} onReplay={onReplay} />}
      {!offline && (
        <div class="row">
          <NextStep game={game.game} played={own ? game : undefined} />
          <Check kept={kept} game={game} />
        </div>
      )}
      {outcome && outcome.scores.length > 0 && (
        <details open={offline}>
          <summary>{say("end.numbers")}</summary>
          <Scores game={game.game} outcome={outcome} seats={seats} />
        </details>
      )}
    </section>
  );
}

/** The moment that decided, which is looked for at once. */
function Moment({ kept, game, seats, onReplay }: EndingProps) {
  const View = useLater(() => import("./moment.tsx"));
  if (!View) return <section class="moment" />;
  const seat = kept.mine.value[0] ?? 0;
  return <View game={game} tokens={kept.tokens} seat={seat} seats={seats} onReplay={onReplay} />;
}

/** The choices after a game. */
function Following({ kept, game, seats }: Props) {
  const trouble = useSignal("");
  const busy = useSignal(false);
  const here = useHere();
  const again = async () => {
    busy.value = true;
    trouble.value = "";
    try {
      const id = await rematch(game, kept.keys.value);
      if (here()) go(["game", id]);
    } catch (error) {
      trouble.value = wordsOf(error);
    } finally {
      busy.value = false;
    }
  };
  const mine = kept.mine.value.length > 0;
  return (
    <>
      <Trouble words={trouble.value} />
      <p class="row">
        {mine && (
          <Button class="main" off={busy.value} onPress={() => void again()}>
            {say("end.rematch")}
          </Button>
        )}
        {!offline && (
          <a class={mine ? "button" : "button main"} href={link("study", "game", game.gameId, game.ply, "review")}>
            {say("end.review")}
          </a>
        )}
        <a class="button" href="#/">
          {say("end.new")}
        </a>
        {game.end?.outcome && (
          <button type="button" onClick={() => void pictureOf(game, seats).then(offer)}>
            {say("end.picture")}
          </button>
        )}
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

interface ResultProps {
  game: string;
  outcome: Outcome;
  seats: readonly SeatLook[];
}

/** Who won, and the scores. */
export const Result = (props: ResultProps) => (
  <>
    <Winner {...props} />
    <Scores {...props} />
  </>
);

function Winner({ game, outcome, seats }: ResultProps) {
  return (
    <>
      <Winners seats={winnersOf(outcome, seats)} />
      {outcome.tieBreak && <p>{gameText(game, `tie.${outcome.tieBreak.code}`)}</p>}
    </>
  );
}

function Winners({ seats }: { seats: readonly SeatLook[] }) {
  const who = seats.map((seat) => <SeatName key={seat.seat} look={{ ...seat, about: "" }} />);
  return (
    <p class="winner" data-testid="winner">
      {rich(seats.length > 1 ? "end.share" : "end.wins", { who })}
    </p>
  );
}

/** The points of all seats; screen readers read them from the bars below. */
const Tally = ({ game, outcome, seats }: ResultProps) =>
  outcome.scores.length ? (
    <p class="tally" aria-hidden="true">
      {seats.map((seat) => (
        <span key={seat.seat}>
          <SeatSign look={seat} /> {text.score(wholePoints(game, outcome.scores[seat.seat]))}
        </span>
      ))}
    </p>
  ) : null;

/** How players ended a game, and who won. */
export function Early({ early, seats }: { early: EarlyEnd; seats: readonly SeatLook[] }) {
  if (early.winner === undefined) return <p>{say("end.abandoned")}</p>;
  return (
    <>
      <p>{say("end.resigned", { who: seats[1 - early.winner]?.name ?? "" })}</p>
      <Winners seats={seats.filter((look) => look.seat === early.winner)} />
    </>
  );
}
