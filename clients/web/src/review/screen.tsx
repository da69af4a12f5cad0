// The review of a record beside its board: chart, errors to look at and to try again, luck, the ledger.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import { pressed } from "../browser/keys.ts";
import type { ReviewedPly } from "../gen/clerestory/v1/annotation_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { labelOf } from "../language/labels.ts";
import { text } from "../language/text.ts";
import { isTurned, language, say } from "../language/texts.ts";
import { SeatSign, SeatTable, Trouble } from "../parts/parts.tsx";
import { addReviewed } from "../path/progress.ts";
import { again, insist, mayPass } from "../service/insist.ts";
import { keysOf, sitsIn } from "../service/tokens.ts";
import type { Study } from "../study/study.ts";
import { judge, luckiest, luckOf, Review, rounded, UNIT } from "./review.ts";

interface Props {
  study: Study;
  seats: readonly SeatLook[];
  /** The position as the seat to decide knows it. */
  known: Position | undefined;
}

const tenths = (number: number) => text.loss(number / 10);
const signed = (number: number) => text.points(number / 10);

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
    if (ledger && sitsIn(study.name)) addReviewed(ledger.game, [study.name]);
  }, [ledger]);
  return (
    <section class="review" aria-label={say("end.review")}>
      <h2>{say("end.review")}</h2>
      <Trouble words={review.trouble.value} />
      {review.running.value && (
        <p>
          <progress max={review.total.value || 1} value={review.done.value} aria-label={say("review.done")} />{" "}
          {review.sketch.value
            ? say("review.sketch")
            : say("review.of", { done: review.done.value, total: review.total.value })}
        </p>
      )}
      <Chart review={review} seats={seats} at={study.at.value} onGo={(ply) => void study.go(ply)} />
      {ledger && <Whose seats={seats} seat={whose.value} onChoose={(seat) => (whose.value = seat)} />}
      {ledger && (
        <Errors key={whose.value} review={review} study={study} seats={seats} known={known} whose={whose.value} />
      )}
      {ledger && <Luck review={review} seats={seats} whose={whose.value} onGo={(ply) => void study.go(ply)} />}
      {ledger && <Ledger review={review} seats={seats} />}
    </section>
  );
}

/** The seat of a kept game that this browser holds; not set if it holds none or all. */
function ownSeat(game: string, seats: number): number | undefined {
  const own = Object.keys(keysOf(game).seats).map(Number);
  return own.length < seats ? own[0] : undefined;
}

/** The seat whose errors and luck are shown. */
function Whose(props: {
  seats: readonly SeatLook[];
  seat: number | undefined;
  onChoose(seat: number | undefined): void;
}) {
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

const WIDE = 320;
const HIGH = 120;
const LOW = 44;

/** Win shares over the plies, as time is written; luck below; a click shows the ply. */
function Chart({
  review,
  seats,
  at,
  onGo,
}: {
  review: Review;
  seats: readonly SeatLook[];
  at: number;
  onGo(ply: number): void;
}) {
  const plies = review.plies.value;
  const last = plies[plies.length - 1]?.ply ?? 0;
  if (!last) return null;
  const along = (part: number) => (isTurned.value ? 1 - part : part);
  const x = (ply: number) => WIDE * along(ply / last);
  const sum = (shares: readonly number[], seat: number) =>
    (HIGH * shares.slice(0, seat).reduce((a, b) => a + b, 0)) / UNIT;
  const edge = (seat: number) => plies.map((one) => `${x(one.ply).toFixed(1)},${sum(one.after, seat).toFixed(1)}`);
  const luck = plies.filter((one) => one.seat === undefined);
  const most = Math.max(
    UNIT / 20,
    ...luck.flatMap((one) => one.after.map((v, i) => Math.abs(v - (one.before[i] ?? 0)))),
  );
  const click = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    onGo(Math.round(last * along((event.clientX - box.left) / box.width)));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys step through the plies
    <svg
      class="shares"
      viewBox={`0 0 ${WIDE} ${HIGH + LOW}`}
      role="img"
      aria-label={say("review.chart")}
      onClick={click}
    >
      {seats.map((look) => (
        <polygon
          key={look.seat}
          class={`seat-${look.colour}`}
          points={[...edge(look.seat), ...edge(look.seat + 1).reverse()].join(" ")}
        />
      ))}
      {luck.map((one) => (
        <Bars key={one.ply} one={one} x={x(one.ply)} most={most} seats={seats} />
      ))}
      {review.errors.value.map((error) => (
        <g key={error.ply} class="mark">
          <title>{`${error.what}: ${text.share(error.loss / UNIT)}`}</title>
          <circle cx={x(error.ply)} cy={middle(error.at, sum)} r="7" />
          <text x={x(error.ply)} y={middle(error.at, sum) + 3} text-anchor="middle" direction="ltr">
            {error.glyph}
          </text>
        </g>
      ))}
      <line class="here" x1={x(at)} x2={x(at)} y1="0" y2={HIGH + LOW} />
    </svg>
  );
}

/** The middle of the area of the seat that decided. */
function middle(ply: ReviewedPly, sum: (shares: readonly number[], seat: number) => number): number {
  const seat = ply.seat ?? 0;
  return (sum(ply.after, seat) + sum(ply.after, seat + 1)) / 2;
}

/** The luck of a chance event for the seats that it helped and hurt most. */
function Bars({ one, x, most, seats }: { one: ReviewedPly; x: number; most: number; seats: readonly SeatLook[] }) {
  const change = luckOf(one);
  const ends = [...new Set([change.indexOf(Math.max(...change)), change.indexOf(Math.min(...change))])];
  const zero = HIGH + LOW / 2;
  return (
    <>
      {ends.map((seat) => {
        const high = ((LOW / 2 - 2) * (change[seat] ?? 0)) / most;
        const y = zero - Math.max(high, 0);
        return (
          <rect
            key={seat}
            class={`seat-${seats[seat]?.colour}`}
            x={x - 0.8}
            y={y}
            width="1.6"
            height={Math.abs(high)}
          />
        );
      })}
    </>
  );
}

/** The errors, one after the other: the position before each, a try, and the answer. */
function Errors({ review, study, seats, known, whose }: Props & { review: Review; whose: number | undefined }) {
  const number = useSignal(-1);
  const shown = useSignal(false);
  const told = useSignal("");
  const errors = review.errors.value.filter((one) => whose === undefined || one.at.seat === whose);
  const error = errors[number.value];
  const there = error !== undefined && study.follows(error.ply - 1); // the line has not left the record before
  const tried = there ? study.line.value[error.ply - 1] : undefined;
  const before = useSignal<Position | undefined>(undefined);
  useEffect(() => {
    if (there && study.at.value === error.ply - 1 && known) before.value = known;
  }, [known, study.at.value, number.value, there]);
  useEffect(() => {
    const best = error?.at.best?.text;
    if (!error || !best || !tried || tried === error.at.action?.text || !before.value) return;
    let looking = true; // until it is answered, or something else is looked at
    const tell = (words: string) => {
      looking = false;
      told.value = words;
    };
    told.value = say("review.looking");
    const position = before.value;
    const until = { wanted: () => looking, told: again(told), passes: mayPass };
    insist(() => judge(position, error.at.seat ?? 0, tried, best), until).then(
      ({ right, loss }) => {
        if (!looking) return;
        tell(right ? say("review.right") : say("review.wrong", { loss: text.share(loss) }));
        if (!right) void study.back().then(() => study.go(error.ply - 1));
      },
      () => looking && tell(say("review.unknown")),
    );
    return () => {
      if (looking) tell("");
    };
  }, [tried, number.value]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
  }, [number.value, told.value, shown.value, before.value]);
  const turn = async (step: 1 | -1) => {
    if (!errors.length) return;
    const from = number.value < 0 && step < 0 ? 0 : number.value;
    number.value = (from + step + errors.length) % errors.length;
    shown.value = false;
    told.value = "";
    before.value = undefined;
    if (study.strayed.value) await study.back();
    await study.go((errors[number.value]?.ply ?? 1) - 1);
  };
  useKey("n", turn);
  if (!errors.length) return <p>{say("review.no_errors")}</p>;
  const look = seats[error?.at.seat ?? 0];
  const reason = error?.at.reasons.map((one) => one.text).join(" ");
  return (
    <>
      <button type="button" class="wide" onClick={() => void turn(1)}>
        {error ? say("review.next") : say("review.errors", { count: errors.length })} <kbd>n</kbd>
      </button>
      {error && look && (
        <div ref={box} class="error" aria-live="polite">
          <p>
            <b dir="ltr">{error.glyph}</b> <SeatSign look={look} />{" "}
            {say("review.error", {
              number: number.value + 1,
              of: errors.length,
              what: error.what,
              loss: text.share(error.loss / UNIT),
            })}
          </p>
          {told.value && <p>{told.value}</p>}
          {shown.value ? (
            <p>
              {labelOf(error.at.best)}
              {reason ? `: ${reason}` : "."}
            </p>
          ) : (
            <button type="button" onClick={() => (shown.value = true)}>
              {say("review.show")}
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** A key for the next error, with Shift for the previous one. */
function useKey(key: string, turn: (step: 1 | -1) => Promise<void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (pressed(event).toLowerCase() === key) void turn(event.shiftKey ? -1 : 1);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

interface LuckProps {
  review: Review;
  seats: readonly SeatLook[];
  whose: number | undefined;
  onGo(ply: number): void;
}

/** The luckiest and unluckiest events of a seat, or those with the largest effect on any seat. */
function Luck({ review, seats, whose, onGo }: LuckProps) {
  const plies = review.plies.value;
  const lists =
    whose === undefined
      ? [{ title: say("review.mattered"), events: luckiest(plies, 10) }]
      : [
          { title: say("review.luckiest"), events: luckiest(plies, 10, whose) },
          { title: say("review.unluckiest"), events: luckiest(plies, 10, whose, -1) },
        ];
  return (
    <>
      {lists.map((list) => (
        <Events key={list.title} {...list} seats={seats} onGo={onGo} />
      ))}
    </>
  );
}

interface EventsProps {
  title: string;
  events: readonly ReviewedPly[];
  seats: readonly SeatLook[];
  onGo(ply: number): void;
}

/** Chance events, and their luck for each seat. */
function Events({ title, events, seats, onGo }: EventsProps) {
  return (
    <details>
      <summary>{title}</summary>
      <ol class="events">
        {events.map((one) => (
          <li key={one.ply}>
            <button type="button" class="plain" onClick={() => onGo(one.ply)}>
              {labelOf(one.action)}:
              {rounded(luckOf(one)).map((part, seat) =>
                part && seats[seat] ? (
                  <span key={seats[seat].seat}>
                    {" "}
                    <SeatSign look={seats[seat]} /> <span class="unseen">{seats[seat].name}</span> {signed(part)}
                  </span>
                ) : null,
              )}
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The ledger: a column for each seat. */
function Ledger({ review, seats }: { review: Review; seats: readonly SeatLook[] }) {
  const ledger = review.ledger.value;
  if (!ledger) return null;
  const columns = ledger.seats;
  const sources = columns[0]?.luck.map((one) => one.label || one.source) ?? [];
  const parts = columns.map((one) =>
    rounded([one.start, ...one.luck.map((part) => part.luck), one.errors, one.gifts, one.revaluation]),
  );
  const names = [
    ...sources.map((source) => say("review.luck", { source })),
    say("review.own"),
    say("review.gifts"),
    say("review.revaluation"),
  ];
  const rows: [string, string[]][] = [
    [say("review.start"), parts.map((column) => tenths(column[0] ?? 0))],
    ...names.map((name, index): [string, string[]] => [name, parts.map((column) => signed(column[index + 1] ?? 0))]),
    [
      say(ledger.ended ? "review.result" : "review.now"),
      parts.map((column) => tenths(column.reduce((a, b) => a + b, 0))),
    ],
    [say("review.decisions"), columns.map((one) => `${one.decisions}`)],
    [
      say("review.mean"),
      columns.map((one) => (one.meanLoss === undefined ? "-" : text.loss((1000 * one.meanLoss) / UNIT))),
    ],
    [say("review.like"), columns.map((one) => (one.level === undefined ? "-" : `${one.level}`))],
    [say("review.accuracy"), columns.map((one) => (one.accuracy === undefined ? "-" : text.loss(one.accuracy)))],
  ];
  const heads = columns.map((one, seat) => (
    <>
      {seats[seat] && <SeatSign look={seats[seat]} />}
      <span class="unseen">{seats[seat]?.name ?? one.name}</span>
    </>
  ));
  return (
    <div class="scroll">
      <SeatTable caption={say("review.caption")} heads={heads} rows={rows} />
      {ledger.favour && <p class="muted">{ledger.favour.text}</p>}
      <p class="muted">{say("review.about_revaluation")}</p>
      <p class="muted">{say("review.about_accuracy")}</p>
    </div>
  );
}
