// The log of a game, with steps back through it.

import { useEffect, useRef } from "preact/hooks";
import { seatOf } from "../boards/seats.ts";
import type { SeatLook } from "../boards/types.ts";
import { changesOf } from "../game/news.ts";
import type { AppliedAction } from "../gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "../language/labels.ts";
import { say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { memo } from "../parts/parts.tsx";
import { Mover } from "./mover.tsx";

interface Props {
  /** Element n led to ply n + 1. */
  applied: readonly (AppliedAction | undefined)[];
  seats: readonly SeatLook[];
  /** The displayed ply. */
  at: number;
  /** The first ply that the viewer has not seen yet. */
  since?: number;
  /** The mark of a review on the action that led to a ply: `??`, `?`, `?!`. */
  glyphs?: ReadonlyMap<number, string> | undefined;
  onGo(ply: number): void;
  /** Whether one can see again what happened since. */
  replays?: boolean;
  /** Show again what happened since; not set where nothing did. */
  onReplay?: (() => void) | undefined;
}

export const Log = memo(({ applied, seats, at, since, glyphs, onGo, replays, onReplay }: Props) => {
  const box = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const current = box.current?.querySelector<HTMLElement>("[aria-current]");
    if (box.current) box.current.scrollTop = current ? shownFrom(current, box.current.clientHeight) : 0;
  }, [at, applied.length]);
  const last = applied.length;
  return (
    <section class="log" aria-label={say("log")}>
      <div class="steps">
        <Button aria-label={say("log.beginning")} off={at === 0} onPress={() => onGo(0)}>
          «
        </Button>
        <Button aria-label={say("log.back")} off={at === 0} onPress={() => onGo(at - 1)}>
          ‹
        </Button>
        <span>
          {at} / {last}
        </span>
        <Button aria-label={say("log.on")} off={at === last} onPress={() => onGo(at + 1)}>
          ›
        </Button>
        <Button aria-label={say("log.end")} off={at === last} onPress={() => onGo(last)}>
          »
        </Button>
        {replays && (
          <Button title={say("log.replay")} off={!onReplay} onPress={() => onReplay?.()}>
            <span class="unseen">{say("log.replay")}</span>
            <span aria-hidden="true">
              ↻ <kbd>r</kbd>
            </span>
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard */}
      <ol ref={box} tabIndex={0} aria-label={say("log.moves")}>
        {applied.map((one, index) => (
          <Row
            key={index}
            one={one}
            look={seats[seatOf(one?.turn) ?? -1]}
            changed={changesOf(one, seats)}
            ply={index + 1}
            now={index + 1 === at}
            news={since !== undefined && index >= since}
            glyph={glyphs?.get(index + 1)}
            onGo={onGo}
          />
        ))}
      </ol>
    </section>
  );
});

/** From where a row is in the middle of a list, or its beginning is in sight. */
const shownFrom = (row: HTMLElement, height: number): number =>
  row.offsetTop + Math.min(0, (row.offsetHeight - height) / 2);

interface RowProps {
  one: AppliedAction | undefined;
  look: SeatLook | undefined;
  changed: string;
  ply: number;
  /** It led to the displayed position. */
  now: boolean;
  news: boolean;
  glyph: string | undefined;
  onGo(ply: number): void;
}

const Row = memo(({ one, look, changed, ply, now, news, glyph, onGo }: RowProps) => (
  <li class={news ? "news" : ""}>
    <button type="button" class="plain" aria-current={now ? "step" : undefined} onClick={() => onGo(ply)}>
      <Mover look={look} />
      <span>
        {labelOf(one?.action)} {glyph && <b dir="auto">{glyph}</b>}
        {changed && <small class="changed">{changed}</small>}
      </span>
    </button>
  </li>
));
