// The rounds of a game: when one is over, and what each seat gained.

import { signal } from "@preact/signals";
import { seatOf } from "../boards/seats.ts";
import { browser } from "../browser/storage.ts";
import type { GameView } from "../gen/clerestory/v1/games_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { AppliedAction, Change } from "../gen/clerestory/v1/rules_pb.ts";
import { summed } from "./news.ts";
import type { Pace } from "./pace.ts";

/** Milliseconds that the card of a round can stay; 0 shows none. */
export const STAYS = [0, 2000, 4000, 8000] as const;

const STAYING = "round-card";

/** The chosen milliseconds, stored for the next visit. */
export const stay = signal(Number(browser.get(STAYING) ?? 4000));

export function chooseStay(milliseconds: number): void {
  stay.value = milliseconds;
  browser.set(STAYING, String(milliseconds));
}

/** What a round brought to a seat. */
export interface Brought {
  seat: number;
  points: number;
  /** What made the points, and what else came without a decision, in words. */
  told: string[];
}

/** A round that is over. */
export interface RoundOver {
  /** Its last position in the views of all seats here, which the table shows as long as the card is there. */
  views: readonly GameView[];
  /** The number of actions up to its last one, which the log shows as long. */
  plies: number;
  brought: Brought[];
}

/** The number of a position's round, counted through the whole game; undefined where a game has none. */
export function roundOf({ game }: Position): number | undefined {
  if (game.case === "cathedral") return game.value.round;
  return game.case === "duel" ? 3 * (game.value.phase - 1) + game.value.round : undefined;
}

const FIRST = ["advantage", "deal"]; // kinds of the outcomes that begin a round

/** The number of actions before the last one of a seat. */
const lastPlayed = (log: readonly (AppliedAction | undefined)[]): number =>
  log.findLastIndex((one) => seatOf(one?.turn) !== undefined);

/** The actions of the last round of a log in which a seat has acted. */
function lastRound(log: readonly (AppliedAction | undefined)[]): readonly (AppliedAction | undefined)[] {
  const begins = (at: number) => FIRST.includes(log[at]?.action?.text.split(" ")[0] ?? "");
  const played = lastPlayed(log);
  const first = log.findLastIndex((_, at) => at <= played && begins(at) && !begins(at - 1));
  return log.slice(Math.max(first, 0), played + 1);
}

const POINTS = ["vp", "points"];
const USED = "card"; // the cause of what a card of the duel does, for its user or for the other
const DECIDED = new Set("take hire place dismiss use market claim build limit to_mill craftsman".split(" ")); // causes
const GOODS = ["gold", "sand", "wood", "stone", "metal"];

/** What a round brought to each seat: the points and their causes; for one's own also gold and goods that came or went. */
function broughtBy(log: readonly (AppliedAction | undefined)[], seats: number, own: number | undefined): Brought[] {
  const changes = lastRound(log).flatMap((one) =>
    (one?.changes ?? []).map((change) => ({ change, by: seatOf(one?.turn) })),
  );
  return Array.from({ length: seats }, (_, seat) => {
    const its = changes.filter(({ change }) => change.seat === seat);
    const points = its.filter(({ change }) => POINTS.includes(change.thing));
    const goods = seat === own ? its.filter(({ change, by }) => comesByItself(change, by === own)) : [];
    const told = summed([...points, ...goods].map(({ change }) => change));
    return { seat, points: points.reduce((sum, { change }) => sum + change.amount, 0), told };
  });
}

/** Whether goods come or go for an owner who has not decided on them just then. */
const comesByItself = ({ thing, cause }: Change, byOwner: boolean): boolean =>
  GOODS.includes(thing) && cause !== "" && !DECIDED.has(cause) && !(byOwner && cause === USED);

/** The last state of a round as far as it is known here. */
interface Last {
  log: readonly (AppliedAction | undefined)[];
  seats: number;
  own: number | undefined;
  views: readonly GameView[];
  ply: number | undefined;
}

/** The round that has just ended, as long as its card is shown. What follows waits. */
export class RoundEnd {
  readonly over = signal<RoundOver | undefined>(undefined);
  readonly #pace: Pace;
  readonly #viewsAt: (ply: number) => Promise<readonly GameView[]>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(pace: Pace, viewsAt: (ply: number) => Promise<readonly GameView[]>) {
    this.#pace = pace;
    this.#viewsAt = viewsAt;
  }

  /** Show the card of a round between two positions, if one lies there that brought something. */
  end(before: Position | undefined, after: Position | undefined, { log, seats, own, views, ply }: Last): void {
    const [from, to] = [before && roundOf(before), after && roundOf(after)];
    if (from === undefined || to !== from + 1 || !stay.value || document.hidden) return;
    const brought = broughtBy(log, seats, own);
    if (!brought.some(({ told }) => told.length)) return; // a round of the duel may bring nothing
    const last = lastPlayed(log); // what several actions at once led to is shown only after the last of them
    this.over.value = { views, plies: last + 1, brought };
    this.#pace.hold(stay.value);
    this.#timer = setTimeout(this.close, stay.value);
    if (ply !== last) void this.#showAt(last, this.over.value).catch(() => undefined);
  }

  /** Show the position of a ply behind the card. */
  async #showAt(ply: number, over: RoundOver): Promise<void> {
    const views = await this.#viewsAt(ply);
    if (views.length && this.over.value === over) this.over.value = { ...over, views };
  }

  /** Put the card away, and go on. */
  readonly close = (): void => {
    this.stop();
    if (!this.over.value) return;
    this.over.value = undefined;
    this.#pace.goOn();
  };

  /** Keep the card as it is: the game is left. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
