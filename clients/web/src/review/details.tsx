// What a review says in numbers: its figures, the luck, and the ledger that adds up.

import type { SeatLook } from "../boards/types.ts";
import type { GameReview, ReviewedPly } from "../gen/clerestory/v1/annotation_pb.ts";
import { labelOf } from "../language/labels.ts";
import { text } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { SeatSign, SeatTable } from "../parts/parts.tsx";
import { luckiest, luckOf, type Review, rounded, UNIT } from "./review.ts";

const tenths = (number: number) => text.loss(number / 10);
const signed = (number: number) => text.points(number / 10);

/** The seats over the columns of a table. */
const heads = (ledger: GameReview, seats: readonly SeatLook[]) =>
  ledger.seats.map((one, seat) => (
    <>
      {seats[seat] && <SeatSign look={seats[seat]} />} <bdi>{seats[seat]?.name ?? one.name}</bdi>
    </>
  ));

/** How well each seat played. */
export function Figures({ ledger, seats }: { ledger: GameReview; seats: readonly SeatLook[] }) {
  const columns = ledger.seats;
  return (
    <SeatTable
      class="figures"
      heads={heads(ledger, seats)}
      rows={[
        [say("review.accuracy"), columns.map((one) => (one.accuracy === undefined ? "–" : text.loss(one.accuracy)))],
        [say("review.like"), columns.map((one) => one.level ?? "–")],
      ]}
    />
  );
}

interface DetailsProps {
  review: Review;
  seats: readonly SeatLook[];
  whose: number | undefined;
  onGo(ply: number): void;
}

/** The luck of a seat, or of all, and the ledger. */
export const Details = (props: DetailsProps) => (
  <details class="numbers">
    <summary>{say("review.details")}</summary>
    <Luck {...props} />
    <Ledger {...props} />
  </details>
);

/** The luckiest and unluckiest events of a seat, or those with the largest effect on any seat. */
function Luck({ review, seats, whose, onGo }: DetailsProps) {
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
                  <span key={seats[seat].seat} class="whose">
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
  ];
  return (
    <div class="scroll">
      <SeatTable caption={say("review.caption")} heads={heads(ledger, seats)} rows={rows} />
      {ledger.favour && <p class="muted">{ledger.favour.text}</p>}
      <p class="muted">{say("review.about_revaluation")}</p>
      <p class="muted">{say("review.about_accuracy")}</p>
    </div>
  );
}
