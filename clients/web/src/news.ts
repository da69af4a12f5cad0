// What an action changed, and what has just happened, in words.

import type { SeatLook } from "./boards/types.ts";
import type { AppliedAction } from "./gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "./labels.ts";
import { actor, seatOf } from "./seats.ts";
import { say } from "./texts.ts";

/** What comes back by itself each round, and so is no news: workers, the cards they are sent to. */
const TACIT = ["workers", "mill", "resource_cards"];

/** What an action changed: for who acted first, then for each other one by name. */
export function changesOf(one: AppliedAction | undefined, seats: readonly SeatLook[]): string {
  const by = new Map<number | undefined, string[]>();
  for (const { seat, thing, text } of one?.changes ?? [])
    if (!TACIT.includes(thing)) by.set(seat, [...(by.get(seat) ?? []), text]);
  const own = seatOf(one?.turn);
  const told = [...by].map(([seat, texts]) => {
    const what = texts.join(say("between"));
    return seat === undefined || seat === own ? what : say("changes", { who: seats[seat]?.name ?? "", what });
  });
  return told.join("; ");
}

/** Who did what last and what that changed, and whether it is the listener's turn. */
export function newsOf(log: readonly (AppliedAction | undefined)[], seats: readonly SeatLook[], mine: boolean): string {
  const last = log[log.length - 1];
  const told = last && say("news", { who: actor(last.turn, seats), what: labelOf(last.action) });
  const changed = changesOf(last, seats);
  return [told, changed && `${changed}.`, mine && say("news.your_turn")].filter(Boolean).join(" ");
}
