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
import { labelOf } from "../language/labels.ts";
import { say } from "../language/texts.ts";
import { advisor, transport, wordsOf } from "../service/api.ts";
import { again, insist, mayPass } from "../service/insist.ts";
import type { Source } from "../study/study.ts";

const annotations = createClient(AnnotationService, transport);

/** Of a win, as shares are on the wire. */
export const UNIT = 1_000_000;
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
  readonly errors = computed(() =>
    (this.ledger.value?.errors ?? []).flatMap((error) => {
      const ply = this.plies.value.find((one) => one.ply === error.ply);
      return ply ? [{ ...error, glyph: GLYPHS[error.errorClass], at: ply, what: this.#told(error) }] : [];
    }),
  );

  /** A decision in words: an action, or those of a plan. */
  #told({ firstPly, lastPly }: NamedError): string {
    const plies = this.plies.value.filter((one) => one.ply >= firstPly && one.ply <= lastPly);
    return plies.map((one) => labelOf(one.action)).join(say("between"));
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
  const { lines } = await advisor.recommendMove({
    position,
    seat,
    considerActions: [action, best],
    iterations: BigInt(ITERATIONS.attempt),
    earlyStop: false,
  });
  const share = (text: string) => lines.find((line) => line.action?.text === text)?.winShares[seat] ?? 0;
  const loss = Math.max(share(best) - share(action), 0);
  return { right: loss < RIGHT, loss };
}

interface Moment {
  kind: "turn" | "error" | "luck";
  ply: ReviewedPly;
  /** The action in words. */
  what: string;
  /** Its gain for the seat, as a share of the win. */
  share: number;
}

/** Where a game turned for a seat, its costliest error, its largest luck; each ply once. */
export function momentsOf(
  plies: readonly ReviewedPly[],
  errors: readonly { at: ReviewedPly; what: string; loss: number }[],
  seat: number,
): Moment[] {
  const gain = (ply: ReviewedPly) => (ply.after[seat] ?? 0) - (ply.before[seat] ?? 0);
  const size = (ply: ReviewedPly) => Math.abs(gain(ply));
  const error = errors.find((one) => one.at.seat === seat);
  const others = plies.filter((ply) => ply !== error?.at);
  const largest = (kind: "turn" | "luck", some: readonly ReviewedPly[]): Moment[] => {
    const ply = some.reduce<ReviewedPly | undefined>(
      (most, one) => (size(one) > (most ? size(most) : 0) ? one : most),
      undefined,
    );
    return ply ? [{ kind, ply, what: labelOf(ply.action), share: gain(ply) / UNIT }] : [];
  };
  return [
    ...largest(
      "turn",
      others.filter((ply) => ply.seat !== undefined),
    ),
    ...(error ? [{ kind: "error" as const, ply: error.at, what: error.what, share: -error.loss / UNIT }] : []),
    ...largest(
      "luck",
      others.filter((ply) => ply.seat === undefined),
    ),
  ];
}
