// The time that is left for a move, or for the game.

import { type Duration, durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import type { Game } from "../gen/clerestory/v1/games_pb.ts";
import { say } from "../language/texts.ts";
import { SeatSign } from "../parts/parts.tsx";
import { serverTime } from "../service/time.ts";

const TICK = 250; // milliseconds between looks at the time

interface Props {
  game: Game;
  seats: readonly SeatLook[];
}

/** The time that each seat has left for the game, or the person to decide for a move; nothing without a limit. */
export function Clock({ game, seats }: Props) {
  const { moveDeadline, options, timeLeft } = game;
  const now = useSignal(0);
  const timed = moveDeadline !== undefined;
  useEffect(() => {
    if (!timed) return undefined;
    const timer = setInterval(() => {
      now.value = serverTime();
    }, TICK);
    return () => clearInterval(timer);
  }, [timed]);
  const limit = options?.timePerMove ? durationMs(options.timePerMove) : Number.POSITIVE_INFINITY;
  const left = timed ? timestampMs(moveDeadline) - Math.max(now.value, serverTime()) : limit;
  if (timeLeft.length && !game.end) {
    const spent = (whole: number) => Math.max(Math.min(whole, limit) - left, 0); // of the turn
    return (
      <span class="clocks">
        {seats.map((look) => {
          const whole = durationMs(timeLeft[look.seat] as Duration);
          const time = written(timed && look.seat === game.turn?.seat ? whole - spent(whole) : whole);
          return (
            <Time key={look.seat} time={time} words={say("turn.clock", { time, who: look.name })}>
              <SeatSign look={look} />
            </Time>
          );
        })}
      </span>
    );
  }
  if (!timed) return null;
  const time = written(Math.min(left, limit));
  return <Time time={time} words={say("turn.left", { time })} />;
}

const Time = ({ time, words, children }: { time: string; words: string; children?: ComponentChildren }) => (
  <span class="clock" role="timer" aria-label={words} title={words}>
    {children}
    {time}
  </span>
);

/** A number of milliseconds as a clock shows it, in whole seconds. */
function written(milliseconds: number): string {
  const seconds = Math.ceil(Math.max(milliseconds, 0) / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60) % 60;
  const hours = Math.floor(seconds / 3600);
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
