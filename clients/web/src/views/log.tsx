// What has happened, and how to step back through it.

import { useEffect, useRef } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import type { AppliedAction } from "../gen/clerestory/v1/rules_pb.ts";
import { LuckSign, SeatSign } from "../parts.tsx";
import { actor, seatOf } from "../seats.ts";
import { text } from "../text.ts";

interface Props {
  /** Element n led to ply n + 1. */
  applied: readonly (AppliedAction | undefined)[];
  seats: readonly SeatLook[];
  /** The ply that is shown. */
  at: number;
  /** From this ply on it is news to the person who looks. */
  since?: number;
  onGo(ply: number): void;
}

export function Log({ applied, seats, at, since, onGo }: Props) {
  const box = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const current = box.current?.querySelector<HTMLElement>("[aria-current]");
    if (current && box.current) box.current.scrollTop = current.offsetTop - box.current.clientHeight / 2;
  }, [at, applied.length]);
  const last = applied.length;
  return (
    <section class="log" aria-label="What happened">
      <div class="steps">
        <button type="button" aria-label="To the beginning" disabled={at === 0} onClick={() => onGo(0)}>
          «
        </button>
        <button type="button" aria-label="One back" disabled={at === 0} onClick={() => onGo(at - 1)}>
          ‹
        </button>
        <span>
          {at} / {last}
        </span>
        <button type="button" aria-label="One on" disabled={at === last} onClick={() => onGo(at + 1)}>
          ›
        </button>
        <button type="button" aria-label="To the end" disabled={at === last} onClick={() => onGo(last)}>
          »
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard */}
      <ol ref={box} tabIndex={0} aria-label="Moves">
        {applied.map((one, index) => (
          <li key={index} class={since !== undefined && index >= since ? "news" : ""}>
            <button
              type="button"
              class="plain"
              aria-current={index + 1 === at ? "step" : undefined}
              onClick={() => onGo(index + 1)}
            >
              <Who one={one} seats={seats} />
              {one?.action?.label}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Who({ one, seats }: { one: AppliedAction | undefined; seats: readonly SeatLook[] }) {
  const seat = seatOf(one?.turn);
  const look = seat === undefined ? undefined : seats[seat];
  return (
    <>
      {look ? <SeatSign look={look} /> : <LuckSign />}
      <span class="unseen">{actor(one?.turn, seats) || text.nature}: </span>
    </>
  );
}
