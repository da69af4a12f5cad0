// What an action changed, and what has just happened, in words.

import { actor, seatOf, winnersOf } from "../boards/seats.ts";
import type { SeatLook } from "../boards/types.ts";
import { EndReason, type GameEnd } from "../gen/clerestory/v1/games_pb.ts";
import type { AppliedAction, Change } from "../gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "../language/labels.ts";
import { say } from "../language/texts.ts";

/** Changes that the label of an action or another change implies: the places of workers, their cards, claims. */
const TACIT = ["mill", "resource_cards", "markers claim"];

const isTacit = ({ thing, cause }: Change) => TACIT.includes(thing) || TACIT.includes(`${thing} ${cause}`);

/** The changes by an action: first of the acting seat, then of each other one by name, a line for each. */
export function changesOf(one: AppliedAction | undefined, seats: readonly SeatLook[]): string {
  const own = seatOf(one?.turn);
  const by = new Map<number | undefined, Change[]>([[own, []]]);
  for (const change of one?.changes ?? [])
    if (!isTacit(change)) by.set(change.seat, [...(by.get(change.seat) ?? []), change]);
  const told = [...by].map(([seat, changes]) => {
    const what = summed(changes).join(say("between"));
    return !what || seat === undefined || seat === own ? what : say("changes", { who: seats[seat]?.name ?? "", what });
  });
  return told.filter(Boolean).join("\n");
}

/** The texts of changes; those of one thing with one cause, as the wood of two cards, as their sum. */
export function summed(changes: readonly Change[]): string[] {
  const alike = new Map<string, Change[]>();
  for (const change of changes) {
    const key = [change.thing, change.item, change.cause, change.card, change.amount > 0].join();
    alike.set(key, [...(alike.get(key) ?? []), change]);
  }
  return [...alike.values()].map(sumOf);
}

function sumOf(changes: readonly Change[]): string {
  const most = changes.reduce((one, other) => (Math.abs(other.amount) > Math.abs(one.amount) ? other : one));
  const sum = changes.reduce((whole, { amount }) => whole + amount, 0);
  return together(most.text.replace(String(Math.abs(most.amount)), String(Math.abs(sum))));
}

/** A change with a minus sign for a loss, whose number stays on the line of what it counts. */
export const together = (change: string): string => change.replace(/-(?=\d)/, "\u2212").replace(" ", "\u00a0");

/** Who did what and what that changed, action by action, and whether it is the listener's turn. */
export function newsOf(
  actions: readonly (AppliedAction | undefined)[],
  seats: readonly SeatLook[],
  mine: boolean,
): string {
  const told = actions.flatMap((one) => {
    const changed = changesOf(one, seats);
    return [
      one && say("news", { who: actor(one.turn, seats), what: labelOf(one.action) }),
      changed && `${changed.replaceAll("\n", "; ")}.`,
    ];
  });
  return [...told, mine && say("news.your_turn")].filter(Boolean).join(" ");
}

/** How a game ended, and who won. */
export function endNewsOf({ reason, seat = 0, outcome }: GameEnd, seats: readonly SeatLook[]): string {
  const winners = outcome ? winnersOf(outcome, seats).map(({ name }) => name) : [];
  const won =
    winners.length && say(winners.length > 1 ? "end.share" : "end.wins", { who: winners.join(say("between")) });
  const early = reason === EndReason.RESIGNED ? say("end.resigned", { who: seats[seat]?.name ?? "" }) : "";
  return [reason === EndReason.ABANDONED ? say("end.abandoned") : early, won].filter(Boolean).join(" ");
}
