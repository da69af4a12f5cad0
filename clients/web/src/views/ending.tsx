// How a game ended, and what can follow.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useCatalogue } from "../boards/catalogue.ts";
import { winnersOf } from "../boards/seats.ts";
import type { SeatLook } from "../boards/types.ts";
import { go, link } from "../browser/route.ts";
import { isFirst, noteOver } from "../first/wishes.ts";
import { type Checked, check } from "../game/check.ts";
import type { Kept } from "../game/kept.ts";
import { rematch } from "../game/rematch.ts";
import { EndReason, type Game } from "../gen/clerestory/v1/games_pb.ts";
import type { Outcome, ScorePart, SeatScore } from "../gen/clerestory/v1/rules_pb.ts";
import { scoring, text } from "../language/text.ts";
import { gameText, rich, say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { SeatName, SeatTable, Trouble } from "../parts/parts.tsx";
import { NextStep } from "../path/next.tsx";
import { keepEnd } from "../path/progress.ts";
import { wordsOf } from "../service/api.ts";
import { useHere, useLater } from "../service/loading.ts";
import type { EarlyEnd } from "../study/study.ts";

interface Props {
  kept: Kept;
  game: Game;
  seats: readonly SeatLook[];
}

export function Ending({ kept, game, seats }: Props) {
  const end = game.end;
  useEffect(() => {
    keepEnd(game, kept.mine.value);
    noteOver(game.gameId);
  }, [game.gameId]);
  const who = seats[end?.seat ?? 0]?.name ?? "";
  const own = kept.mine.value.length > 0 && game.ply > 0;
  return (
    <section class="ending" aria-label={say("end")}>
      {end?.reason === EndReason.ABANDONED && <p>{say("end.abandoned")}</p>}
      {end?.reason === EndReason.RESIGNED && <p>{say("end.resigned", { who })}</p>}
      {end?.outcome && <Winner game={game.game} outcome={end.outcome} seats={seats} />}
      <Following kept={kept} game={game} />
      <Check kept={kept} game={game} />
      <NextStep game={game.game} played={own ? game : undefined} />
      {own && <Moments game={game} seats={seats} kept={kept} />}
      {end?.outcome && <Scores game={game.game} outcome={end.outcome} seats={seats} />}
    </section>
  );
}

/** The three moments that decided, which are looked for when asked. */
function Moments({ kept, game, seats }: Props) {
  const open = useSignal(isFirst(game.gameId)); // a newcomer need not know that there are any
  const View = useLater(() => import("../review/moments.tsx"), open.value);
  if (View) return <View game={game} tokens={kept.tokens} seat={kept.mine.value[0] ?? 0} seats={seats} />;
  return (
    <button type="button" class="wide" onClick={() => (open.value = true)}>
      {say("moments")}
    </button>
  );
}

/** The choices after a game. */
function Following({ kept, game }: Omit<Props, "seats">) {
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
  return (
    <>
      <Trouble words={trouble.value} />
      <p class="row">
        <a class="button" href={link("study", "game", game.gameId, game.ply, "review")}>
          {say("end.review")}
        </a>
        {kept.mine.value.length > 0 && (
          <Button off={busy.value} onPress={() => void again()}>
            {say("end.rematch")}
          </Button>
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

/** Whether a part of a score is a tie-break, which is shown as the things that it counts. */
const inHundredths = (game: string, { source }: ScorePart) => game === "duel" && source === "gold";

/** A score without such parts. */
const wholePoints = (game: string, score: SeatScore | undefined) =>
  score?.parts.reduce((sum, part) => (inHundredths(game, part) ? sum - part.points : sum), score.score) ?? 0;

/** The scores, and where they came from. */
function Scores({ game, outcome, seats }: ResultProps) {
  const catalogue = useCatalogue(game);
  const named = ({ source, item }: ScorePart) => {
    if (catalogue.card(item)) return catalogue.name(item);
    return item
      ? say("end.source", { source: gameText(game, `source.${source}`), item })
      : gameText(game, `source.${source}`);
  };
  const rows = new Map<string, number[]>();
  for (const score of outcome.scores)
    for (const part of score.parts) {
      const row = rows.get(named(part)) ?? seats.map(() => 0);
      row[score.seat] = (row[score.seat] ?? 0) + part.points * (inHundredths(game, part) ? 100 : 1);
      rows.set(named(part), row);
    }
  if (!outcome.scores.length) return null;
  const total = seats.map((seat) => text.score(wholePoints(game, outcome.scores[seat.seat])));
  const parts = [...rows].map(([name, points]) => [name, points.map((one) => (one ? text.score(one) : "–"))] as const);
  return (
    <div class="scroll">
      <SeatTable
        class="scores"
        heads={seats.map((seat) => <SeatName key={seat.seat} look={{ ...seat, about: "" }} />)}
        rows={[[say("end.points"), total], ...parts]}
      />
      <p class="muted">{scoring(game)}</p>
    </div>
  );
}
