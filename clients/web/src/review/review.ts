// The review of a record: its parts so far, and another try at an error.

import { createClient } from "@clerestory/client";
import { computed, signal } from "@preact/signals";
import {
  AnnotationService,
  ErrorClass,
  type GameReview,
  type NamedError,
  type ReviewedPly,
} from "../gen/clerestory/v1/annotation_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { labelAmong, labelOf } from "../language/labels.ts";
import { say } from "../language/texts.ts";
import { advisor, transport, wordsOf } from "../service/api.ts";
import { again, insist, mayPass } from "../service/insist.ts";
import type { Source } from "../study/study.ts";

const annotations = createClient(AnnotationService, transport);

/** Of a win, as shares are on the wire. */
export const UNIT = 1_000_000;
/** A classified error with its ply, its mark, and what was done in words. */
export type Fault = NamedError & { glyph: string; at: ReviewedPly; what: string };

/** A try is right if it loses less than this. */
const RIGHT = 0.02;
const ITERATIONS = { review: 2000, attempt: 4000 };

const GLYPHS: Record<ErrorClass, string> = {
  [ErrorClass.UNSPECIFIED]: "",
  [ErrorClass.DOUBTFUL]: "?!",
  [ErrorClass.MISTAKE]: "?",
  [ErrorClass.BLUNDER]: "??",
};

export class Review {
  readonly plies = signal<readonly ReviewedPly[]>([]);
  readonly done = signal(0);
  readonly total = signal(0);
  readonly sketch = signal(true);
  readonly running = signal(false);
  readonly ledger = signal<GameReview | undefined>(undefined);
  readonly trouble = signal("");

  /** The classified errors, the most expensive first, with their plies, and what was done in words. */
  readonly errors = computed((): readonly Fault[] =>
    (this.ledger.value?.errors ?? []).flatMap((error) => {
      const ply = this.plies.value.find((one) => one.ply === error.ply);
      return ply ? [{ ...error, glyph: GLYPHS[error.errorClass], at: ply, what: this.#told(error) }] : [];
    }),
  );

  /** A decision in words: an action, or those of a plan. */
  #told({ firstPly, lastPly }: NamedError): string {
    const plies = this.plies.value.filter((one) => one.ply >= firstPly && one.ply <= lastPly);
    return plies.map((one) => labelAmong(one.action, [one.best])).join(say("between"));
  }

  /** Plies by number; those of the sketch are replaced as those of the full review arrive. */
  readonly #found = new Map<number, ReviewedPly>();
  #left = new AbortController();

  /** Request the review until it is whole, and apply its parts as they arrive; those of an earlier request stay till then. */
  async start(source: Source): Promise<void> {
    this.#left = new AbortController();
    const { signal } = this.#left;
    this.running.value = true;
    this.trouble.value = "";
    try {
      const until = { wanted: () => !signal.aborted, told: again(this.trouble), passes: mayPass };
      await insist(() => this.#follow(source, signal), until);
    } catch (error) {
      if (!signal.aborted) this.trouble.value = wordsOf(error);
    } finally {
      if (!signal.aborted) this.running.value = false;
    }
  }

  /** Apply the parts of the review as they arrive. */
  async #follow(source: Source, signal: AbortSignal): Promise<void> {
    const game =
      "record" in source
        ? { case: "record" as const, value: source.record }
        : { case: "hostedGame" as const, value: source };
    for await (const news of annotations.annotateGame({ game, iterations: ITERATIONS.review }, { signal })) {
      this.trouble.value = ""; // of a call before
      for (const ply of news.plies) if (!news.sketch || !this.#found.has(ply.ply)) this.#found.set(ply.ply, ply);
      this.done.value = news.done;
      this.total.value = news.total;
      this.sketch.value = news.sketch;
      this.plies.value = [...this.#found.values()].sort((one, other) => one.ply - other.ply);
      if (news.review) this.ledger.value = news.review;
    }
  }

  /** Stop the review. */
  stop(): void {
    this.#left.abort();
  }
}

/** Parts in tenths of a percent that sum to the displayed total: the largest remainders are rounded up. */
export function rounded(parts: readonly number[]): number[] {
  const exact = parts.map((part) => (1000 * part) / UNIT);
  const whole = exact.map(Math.floor);
  const missing = Math.round(exact.reduce((a, b) => a + b, 0)) - whole.reduce((a, b) => a + b, 0);
  const order = exact.map((_, index) => index).sort((a, b) => fraction(exact[b]) - fraction(exact[a]));
  for (const index of order.slice(0, missing)) whole[index] = (whole[index] ?? 0) + 1;
  return whole;
}

const fraction = (value = 0) => value - Math.floor(value);

/** The luck of a chance event for each seat, in millionths. */
export function luckOf(ply: ReviewedPly): number[] {
  return ply.after.map((share, seat) => share - (ply.before[seat] ?? 0));
}

/** The chance events by their luck for a seat, or by their largest effect on any seat, the largest first. */
export function luckiest(plies: readonly ReviewedPly[], most: number, seat?: number, sign = 1): ReviewedPly[] {
  const size = (ply: ReviewedPly) =>
    seat === undefined ? Math.max(...luckOf(ply).map(Math.abs)) : sign * (luckOf(ply)[seat] ?? 0);
  const events = plies.filter((ply) => ply.seat === undefined && size(ply) > 0);
  return events.sort((one, other) => size(other) - size(one)).slice(0, most);
}

/** Whether an action is about as good as the best one, and its loss as a share of the win. */
export async function judge(
  position: Position,
  seat: number,
  action: string,
  best: string,
): Promise<{ right: boolean; loss: number }> {
  if (action === best) return { right: true, loss: 0 };
  const { lines } = await compare(position, seat, [action, best]);
  const share = (text: string) => lines.find((line) => line.action?.text === text)?.winShares[seat] ?? 0;
  const loss = Math.max(share(best) - share(action), 0);
  return { right: loss < RIGHT, loss };
}

/** What the best action gains over another one and gives up, in sentences; empty if a search is not sure. */
export async function reasonsFor(
  position: Position,
  seat: number,
  best: string,
  other: string,
): Promise<{ text: string }[]> {
  const { lines, reasons } = await compare(position, seat, [best, other]);
  return lines[0]?.action?.text === best ? reasons.slice(1) : []; // the first one says how much better it looks
}

const compare = (position: Position, seat: number, considerActions: string[]) =>
  advisor.recommendMove({
    position,
    seat,
    considerActions,
    iterations: BigInt(ITERATIONS.attempt),
    earlyStop: false,
  });

/** A decision that changed the chances of a seat. */
export interface Moment {
  ply: ReviewedPly;
  /** The action in words. */
  what: string;
  /** Its gain for the seat, as a share of the win. */
  share: number;
}

const gainOf = (ply: ReviewedPly, seat: number) => (ply.after[seat] ?? 0) - (ply.before[seat] ?? 0);

/** The decision that changed the chances of a seat most, its own or another's. A plan counts as one decision. */
export function turningPoint(
  plies: readonly ReviewedPly[],
  errors: readonly Fault[],
  seat: number,
): Moment | undefined {
  const size = (ply: ReviewedPly) => Math.abs(gainOf(ply, seat));
  const decisions = plies.filter((ply) => ply.seat !== undefined && size(ply));
  const [ply] = decisions.sort((one, other) => size(other) - size(one));
  const own = errors.find((one) => one.at.seat === seat);
  if (own && own.loss >= (ply ? size(ply) : 0)) return { ply: own.at, what: own.what, share: -own.loss / UNIT };
  return ply && { ply, what: labelOf(ply.action), share: gainOf(ply, seat) / UNIT };
}
