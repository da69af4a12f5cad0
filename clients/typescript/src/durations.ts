// Spans of time as messages and as milliseconds.

import { create } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";

const SECOND = 1_000_000_000n; // nanoseconds

/** A time as a message, to the nanosecond, which is the smallest that fits into one. Throws TypeError for what is none. */
export function milliseconds(time: number): Duration {
  if (!Number.isFinite(time)) throw new TypeError(`time: ${time} is not a number of milliseconds`);
  const nanos = BigInt(Math.round(time * 1e6));
  return create(DurationSchema, { seconds: nanos / SECOND, nanos: Number(nanos % SECOND) });
}

/** The milliseconds of a time; a missing part is 0. */
export function inMilliseconds({ seconds = 0n, nanos = 0 }: Partial<Duration>): number {
  return Number(seconds) * 1000 + nanos / 1e6;
}
