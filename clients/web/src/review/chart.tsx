// The course of a game: win shares over its plies, with its rounds as the axis above and luck below.

import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import type { ReviewedPly } from "../gen/clerestory/v1/annotation_pb.ts";
import { text } from "../language/text.ts";
import { isTurned, say } from "../language/texts.ts";
import { type Fault, luckOf, type Moment, type Review, UNIT } from "./review.ts";

// Pixels: the axis, the marks of errors, the shares, the luck.
const AXIS = 18;
const MARKS = 21;
const TOP = AXIS + MARKS;
const HIGH = 45;
const LOW = 20;
const FOOT = TOP + HIGH + LOW;
const ROUND = 9; // radius of a mark
const NAMED = 70; // the width that a round needs for its name; a narrower one has its number alone

interface ChartProps {
  review: Review;
  seats: readonly SeatLook[];
  /** The displayed ply. */
  at: number;
  turning: Moment | undefined;
  /** The errors to mark. */
  errors: readonly Fault[];
  onGo(ply: number): void;
}

/** Win shares over the plies, as time is written; a click shows the ply. */
export function Chart({ review, seats, at, turning, errors, onGo }: ChartProps) {
  const box = useRef<SVGSVGElement>(null);
  const wide = useWidth(box);
  const plies = review.plies.value;
  const last = plies[plies.length - 1]?.ply ?? 1;
  const along = (part: number) => (isTurned.value ? 1 - part : part);
  const x = (ply: number) => wide * along(ply / last);
  const click = (event: MouseEvent) => {
    const { left, width } = (event.currentTarget as SVGElement).getBoundingClientRect();
    onGo(Math.round(last * along((event.clientX - left) / width)));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys step through the plies
    <svg
      ref={box}
      class="shares"
      height={FOOT}
      viewBox={`0 0 ${wide} ${FOOT}`}
      role="img"
      aria-label={say("review.chart")}
      onClick={click}
    >
      {seats.map((look) => (
        <polygon
          key={look.seat}
          class={`seat-${look.colour}`}
          points={[...edge(plies, look.seat, x), ...edge(plies, look.seat + 1, x).reverse()].join(" ")}
        />
      ))}
      <Rounds plies={plies} x={x} last={last} />
      <Luck plies={plies} x={x} seats={seats} />
      {turning && (
        <path class="turning" d={`M${x(turning.ply.ply)} ${AXIS + 2}l-6-10h12z`}>
          <title>{turning.what}</title>
        </path>
      )}
      {plies.length > 0 && <line class="here" x1={x(at)} x2={x(at)} y1={TOP} y2={FOOT} />}
      <Marks errors={errors} x={x} wide={wide} seats={seats} />
    </svg>
  );
}

/** The errors in a row above the shares, side by side, each with a line to its ply in its seat's area. */
function Marks({
  errors,
  x,
  wide,
  seats,
}: Pick<ChartProps, "errors" | "seats"> & { x(ply: number): number; wide: number }) {
  const ordered = [...errors].sort((one, other) => x(one.ply) - x(other.ply));
  const places = sideBySide(
    ordered.map(({ ply }) => x(ply)),
    wide,
  );
  return (
    <>
      {ordered.map(({ ply, at, what, loss, glyph }, index) => (
        <g key={ply} class={`mark of-${seats[at.seat ?? 0]?.colour}`}>
          <title>{`${what}: ${text.share(loss / UNIT)}`}</title>
          <path d={`M${places[index]} ${TOP - 2}L${x(ply)} ${TOP}V${middle(at)}`} />
          <circle cx={places[index]} cy={TOP - ROUND - 2} r={ROUND - 1} />
          <text x={places[index]} y={TOP - ROUND + 2} text-anchor="middle" direction="ltr">
            {glyph}
          </text>
        </g>
      ))}
    </>
  );
}

/** Places for marks, as near to ascending ones as there is room. */
function sideBySide(wanted: readonly number[], wide: number): number[] {
  const places: number[] = [];
  for (const place of wanted) places.push(Math.max(place, (places.at(-1) ?? -ROUND) + 2 * ROUND));
  let most = wide - ROUND;
  const fitted = places.reverse().map((place) => {
    const found = Math.min(place, most);
    most = found - 2 * ROUND;
    return found;
  });
  return fitted.reverse();
}

/** The width of a drawing in pixels. */
function useWidth(box: RefObject<SVGSVGElement>): number {
  const wide = useSignal(640);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      wide.value = entry?.contentRect.width || wide.value;
    });
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return wide.value;
}

/** Where the area of a seat begins, from the top. */
const top = (shares: readonly number[], seat: number) =>
  TOP + (HIGH * shares.slice(0, seat).reduce((a, b) => a + b, 0)) / UNIT;

const edge = (plies: readonly ReviewedPly[], seat: number, x: (ply: number) => number) =>
  plies.map((one) => `${x(one.ply).toFixed(1)},${top(one.after, seat).toFixed(1)}`);

/** The middle of the area of the seat that decided. */
const middle = ({ seat = 0, after }: ReviewedPly) => (top(after, seat) + top(after, seat + 1)) / 2;

interface Scale {
  plies: readonly ReviewedPly[];
  x(ply: number): number;
}

/** The axis: where each round begins. */
function Rounds({ plies, x, last }: Scale & { last: number }) {
  const first = plies.filter(({ round }, index) => round && round !== plies[index - 1]?.round);
  return (
    <g class="rounds">
      {first.map(({ round, ply }, index) => {
        const from = x(ply - 1);
        const to = x((first[index + 1]?.ply ?? last + 1) - 1);
        return (
          <g key={round}>
            <line x1={from} x2={from} y1="0" y2={FOOT} />
            <text x={(from + to) / 2} y="13" text-anchor="middle">
              {Math.abs(to - from) > NAMED ? say("review.round", { round }) : round}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** The luck of each chance event, for the seats that it helped and hurt most. */
function Luck({ plies, x, seats }: Scale & { seats: readonly SeatLook[] }) {
  const events = plies.filter((one) => one.seat === undefined).map((one) => ({ ply: one.ply, change: luckOf(one) }));
  const most = Math.max(UNIT / 20, ...events.flatMap(({ change }) => change.map(Math.abs)));
  const zero = TOP + HIGH + LOW / 2;
  return (
    <>
      {events.flatMap(({ ply, change }) => {
        const ends = new Set([change.indexOf(Math.max(...change)), change.indexOf(Math.min(...change))]);
        return [...ends].map((seat) => {
          const high = ((LOW / 2 - 2) * (change[seat] ?? 0)) / most;
          const place = { x: x(ply) - 1.5, y: zero - Math.max(high, 0), width: 3, height: Math.abs(high) };
          return <rect key={`${ply} ${seat}`} class={`seat-${seats[seat]?.colour}`} {...place} />;
        });
      })}
    </>
  );
}
