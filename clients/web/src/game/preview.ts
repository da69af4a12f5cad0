// A line played out: the positions that its actions would lead to, one after the other.

import { signal } from "@preact/signals";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { AppliedAction } from "../gen/clerestory/v1/rules_pb.ts";
import { rules } from "../service/api.ts";

const PAUSE = 900; // milliseconds on each position, unless reduced motion is preferred

export interface Preview {
  /** Text of the first action. */
  first: string;
  /** The actions and outcomes in order, and the position after each. */
  applied: AppliedAction[];
  positions: Position[];
  /** The displayed one. */
  at: number;
}

export const preview = signal<Preview | undefined>(undefined);

let wanted = "";
let timer: ReturnType<typeof setInterval> | undefined;

/** Play out a line, step by step. */
export async function playOut(position: Position, line: readonly string[]): Promise<void> {
  const first = line[0] ?? "";
  if (preview.value?.first === first) return;
  wanted = first;
  const calls = line.map((_, index) => after(position, line.slice(0, index + 1)));
  const found = await Promise.all(calls.map((call) => call.catch(() => undefined)));
  if (wanted !== first) return;
  const reached = found.slice(0, found.indexOf(undefined) < 0 ? found.length : found.indexOf(undefined));
  if (!reached.length) return;
  const applied = reached[reached.length - 1]?.applied ?? [];
  preview.value = { first, applied, positions: reached.map((one) => one?.position as Position), at: 0 };
  clearInterval(timer);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) timer = setInterval(() => walk(1), PAUSE);
}

async function after(position: Position, actions: string[]) {
  const answer = await rules.applyActions({ position: { kind: { case: "position", value: position } }, actions });
  const reached = answer.position?.kind.value as Position;
  return { position: reached, applied: answer.applied };
}

/** Step forward or back in the line, and return whether that was possible; a manual step ends the playback. */
export function walk(by: number, byHand = false): boolean {
  const shown = preview.value;
  if (byHand) clearInterval(timer);
  if (!shown) return false;
  const at = Math.min(Math.max(shown.at + by, 0), shown.positions.length - 1);
  if (at === shown.at) clearInterval(timer);
  else preview.value = { ...shown, at };
  return at !== shown.at;
}

/** Show the real position again. */
export function endPreview(): void {
  wanted = "";
  clearInterval(timer);
  preview.value = undefined;
}
