// The time that is left for a move.

import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Game } from "../gen/clerestory/v1/games_pb.ts";
import { say } from "../language/texts.ts";
import { serverTime } from "../service/time.ts";

const TICK = 250; // milliseconds between looks at the time

/** The time that the person to decide has left; nothing without a limit. */
export function Clock({ game: { moveDeadline, options } }: { game: Game }) {
  const now = useSignal(0);
  const timed = moveDeadline !== undefined;
  useEffect(() => {
    if (!timed) return undefined;
    const timer = setInterval(() => {
      now.value = serverTime();
    }, TICK);
    return () => clearInterval(timer);
  }, [timed]);
  if (!timed) return null;
  const most = options?.timePerMove ? durationMs(options.timePerMove) : Number.POSITIVE_INFINITY;
  const left = timestampMs(moveDeadline) - Math.max(now.value, serverTime());
  const time = written(Math.ceil(Math.min(Math.max(left, 0), most) / 1000));
  const words = say("turn.left", { time });
  return (
    <span class="clock" role="timer" aria-label={words} title={words}>
      {time}
    </span>
  );
}

/** A number of seconds as a clock shows it. */
function written(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60) % 60;
  const hours = Math.floor(seconds / 3600);
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
