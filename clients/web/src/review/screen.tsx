// The review of a record: the course of the game above its board, and beside it the errors to learn from.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import { go } from "../browser/route.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { text } from "../language/text.ts";
import { language, rich, say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { Trouble } from "../parts/parts.tsx";
import { keepFigures } from "../path/figures.ts";
import { addReviewed, keepLevel } from "../path/progress.ts";
import { Newest } from "../service/newest.ts";
import { keysOf, sitsIn } from "../service/tokens.ts";
import type { Study } from "../study/study.ts";
import { Chart } from "./chart.tsx";
import { Details, Figures } from "./details.tsx";
import { Errors } from "./errors.tsx";
import { keepMistakes, WORST } from "./practice.ts";
import { type Fault, type Moment, Review, turningPoint } from "./review.ts";

interface Props {
  study: Study;
  seats: readonly SeatLook[];
  /** The position as the seat to decide knows it. */
  known: Position | undefined;
}

export default function ReviewView({ study, seats, known }: Props) {
  const review = useMemo(() => new Review(), [study]);
  useEffect(() => {
    void review.start(study.source);
    return () => review.stop();
  }, [review, language.value]);
  const whose = useSignal(ownSeat(study.name, seats.length));
  const errors = review.errors.value;
  useEffect(() => {
    study.glyphs.value = new Map(errors.map((error) => [error.ply, error.glyph]));
  }, [errors]);
  const ledger = review.ledger.value;
  useEffect(() => {
    if (!ledger || !sitsIn(study.name)) return;
    const own = ownSeat(study.name, seats.length);
    addReviewed(ledger.game, [study.name]);
    keepLevel(ledger.game, study.name, ledger.seats[own ?? -1]);
    keepFigures(ledger.game, study.name, ledger.seats[own ?? -1]);
    if (own !== undefined) void keepMistakes(study, ledger.game, own, errors).catch(() => undefined); // the button tries again
  }, [ledger]);
  const seat = whose.value ?? 0;
  const turning = ledger && turningPoint(review.plies.value, errors, seat); // known only when all is known
  const shown = errors.filter((one) => whose.value === undefined || one.at.seat === whose.value);
  const show = (ply: number) => void study.go(ply);
  return (
    <>
      <section class="review graph" aria-label={say("review.graph")}>
        <Chart
          review={review}
          seats={seats}
          at={study.at.value}
          turning={turning}
          errors={shown.slice(0, WORST)}
          onGo={show}
        />
      </section>
      <section class="review report" aria-label={say("end.review")}>
        <header class="row">
          <h2>{say("end.review")}</h2>
          {ledger && <Whose seats={seats} seat={whose.value} onChoose={(seat) => (whose.value = seat)} />}
        </header>
        <Trouble words={review.trouble.value} />
        {review.running.value && <Progress review={review} />}
        {ledger && <Figures ledger={ledger} seats={seats} />}
        {turning && <Turning turning={turning} seat={seat} seats={seats} onGo={show} />}
        {ledger && <Errors key={whose.value} study={study} seats={seats} known={known} errors={shown} />}
        {ledger && whose.value !== undefined && shown.length > 0 && keysOf(study.name).seats[whose.value] && (
          <Practice study={study} game={ledger.game} seat={whose.value} errors={shown} />
        )}
        {ledger && <Details review={review} seats={seats} whose={whose.value} onGo={show} />}
      </section>
    </>
  );
}

/** The seat of a kept game that this browser holds; not set if it holds none or all. */
function ownSeat(game: string, seats: number): number | undefined {
  const own = Object.keys(keysOf(game).seats).map(Number);
  return own.length < seats ? own[0] : undefined;
}

const Progress = ({ review: { sketch, done, total } }: { review: Review }) => (
  <p>
    <progress max={total.value || 1} value={done.value} aria-label={say("review.done")} />{" "}
    {sketch.value ? say("review.sketch") : say("review.of", { done: done.value, total: total.value })}
  </p>
);

interface PracticeProps {
  study: Study;
  game: string;
  seat: number;
  errors: readonly Fault[];
}

/** A button that leads to the puzzles from one's own mistakes, those of this game among them. */
function Practice({ study, game, seat, errors }: PracticeProps) {
  const asked = useMemo(() => new Newest(), [study]);
  const practise = () =>
    asked.ask(
      () => keepMistakes(study, game, seat, errors),
      () => go(["puzzle", game, "mine"]),
    );
  return (
    <>
      <Button off={asked.busy.value} onPress={() => void practise()}>
        {say("puzzle.mine")}
      </Button>
      <Trouble words={asked.trouble.value} />
    </>
  );
}

interface TurningProps {
  turning: Moment;
  /** The seat whose chances it changed. */
  seat: number;
  seats: readonly SeatLook[];
  onGo(ply: number): void;
}

/** The decision that changed most, which leads to the position before it. */
const Turning = ({ turning: { ply, what, share }, seat, seats, onGo }: TurningProps) => (
  <p class="notice">
    {rich("review.turning", {
      move: (
        <button type="button" class="plain link" onClick={() => onGo(ply.ply - 1)}>
          {say("turn.past", { ply: ply.ply })}
        </button>
      ),
      who: seats[ply.seat ?? 0]?.name ?? "",
      what,
      share: text.change(share),
      seat: seats[seat]?.name ?? "",
    })}
  </p>
);

interface WhoseProps {
  seats: readonly SeatLook[];
  seat: number | undefined;
  onChoose(seat: number | undefined): void;
}

/** The seat whose errors and luck are shown. */
function Whose(props: WhoseProps) {
  return (
    <label>
      {say("review.whose")}{" "}
      <select
        value={props.seat === undefined ? "" : String(props.seat)}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          props.onChoose(chosen ? Number(chosen) : undefined);
        }}
      >
        <option value="">{say("review.everybody")}</option>
        {props.seats.map((look) => (
          <option key={look.seat} value={String(look.seat)}>
            {look.name}
          </option>
        ))}
      </select>
    </label>
  );
}
