// The loss of a move, from a search that runs while its player thinks. The page never waits for it.

import { create } from "@bufbuild/protobuf";
import { type Amounts, amounts } from "../boards/cathedral/words.ts";
import { seatCount, seatOf } from "../boards/seats.ts";
import { listed } from "../boards/words.ts";
import * as hints from "../game/hints.ts";
import type { Line, RecommendMoveResponse } from "../gen/clerestory/v1/advisor_pb.ts";
import { AnyPositionSchema, type AppliedAction, type Turn } from "../gen/clerestory/v1/rules_pb.ts";
import { beginningOf } from "../language/labels.ts";
import { say } from "../language/texts.ts";
import { rules } from "../service/api.ts";

const THINKS = 2000; // milliseconds of a search
const EVERY = 500; // milliseconds between tables, which have some kilobytes each
const SEARCHES = 4; // of a position: the first is for the best moves, the others for those that it has hardly tried
const LEAST = 8; // visits of a line whose value counts
const EXPLAINS = 500; // milliseconds of a search that compares two moves
const EXPLAINED_EVERY = 125;
const PLANNED = /^(convert|discard|finish)\b/; // actions of plans
const THINGS = ["vp", "gold", "sand", "wood", "stone", "metal"]; // that plans bring
const SURE = 2; // standard errors that a loss must exceed to be significant

/** What a move gives up: of a win, and in points as the search expects them; and the better move, also in words. */
export interface Loss {
  share: number;
  points: number;
  better: string;
  instead: readonly string[];
}

interface Value {
  share: number;
  error: number;
  points?: number;
}

/** The known losses of the moves in a position. */
export class Losses {
  readonly #question: hints.Question;
  readonly #stop = new AbortController();
  #best: (Value & { actions: readonly string[]; planned: boolean; label: string }) | undefined;
  /** By action, or by the actions of a plan. */
  readonly #known = new Map<string, Value>();

  constructor(question: hints.Question) {
    this.#question = question;
    void this.#narrow();
  }

  /** Stop the search. */
  stop(): void {
    this.#stop.abort();
  }

  /** Find out what a plan of several actions gives up. */
  async weigh(plan: readonly string[]): Promise<void> {
    const name = plan.join();
    if (plan.length < 2 || this.#known.has(name)) return;
    const { seat = 0, observer } = this.#question;
    const answer = await this.#applied(plan);
    const { winShares, margins } = answer.outcome ?? {};
    if (winShares) this.#known.set(name, { share: winShares[seat] ?? 0, error: 0, points: margins?.[seat] ?? 0 });
    else if (answer.position?.kind.case === "position") {
      const reached = { position: answer.position.kind.value, observer: observer ?? { seat }, game: "" };
      const part = ourPart(answer.turn, seat, seatCount(reached.position));
      await this.#search(reached, {}, (table) => this.#known.set(name, expected(table, seat, part)));
    }
  }

  #applied(plan: readonly string[]) {
    const kind = { case: "position" as const, value: this.#question.position };
    return rules.applyActions({ position: create(AnyPositionSchema, { kind }), actions: [...plan] });
  }

  /** What a move gives up; undefined where that is not known, or within chance. */
  of(actions: readonly string[]): Loss | undefined {
    const own = this.#known.get(actions.join());
    const best = this.#best;
    if (!best || !own) return undefined;
    const share = best.share - own.share;
    if (share <= SURE * Math.hypot(best.error, own.error)) return undefined;
    const points = own.points === undefined ? 0 : (best.points ?? 0) - own.points;
    return { share, points, better: best.label, instead: best.actions };
  }

  /** Find out why the best move is better than another one: what a plan brings, else what the service says. */
  async explain(actions: readonly string[], tell: (reason: string) => void): Promise<void> {
    const best = this.#best;
    if (!best || best.actions.join() === actions.join()) return;
    if (best.planned || actions.length > 1) return tell(await this.#difference(best.actions, actions));
    const [first = ""] = best.actions;
    const told = ({ lines, reasons: [, ...reasons] }: RecommendMoveResponse) => {
      if (lines[0]?.action?.text === first && reasons.length) tell(reasons.map((one) => one.text).join(" "));
    };
    await this.#search(this.#question, { consider: [first, ...actions] }, told, EXPLAINS, EXPLAINED_EVERY);
  }

  /** What one plan brings more and less than another one, in words; empty for nothing. */
  async #difference(...plans: [readonly string[], readonly string[]]): Promise<string> {
    const brought = async (plan: readonly string[]) => {
      const { applied } = await this.#applied(plan);
      return summed(applied.slice(0, plan.length), this.#question.seat); // without the chance events after it
    };
    const [own, others] = await Promise.all([brought(plans[0]), brought(plans[1])]);
    const surplus = (one: Amounts, other: Amounts) => {
      const found = THINGS.map((kind) => [kind, (one[kind] ?? 0) - (other[kind] ?? 0)] as const);
      const words = found.filter(([, count]) => count > 0).map(([kind, count]) => amounts({ [kind]: count }));
      const last = words.pop() ?? "";
      return words.length ? say("first.and", { first: listed(words), last }) : last;
    };
    const [more, less] = [surplus(own, others), surplus(others, own)];
    if (more && less) return say("first.trade", { more, less });
    return more ? say("first.more", { more }) : less && say("first.less", { less });
  }

  /** Search the best moves, then those that were hardly tried, until something is known of all. */
  async #narrow(): Promise<void> {
    const { seat = 0 } = this.#question;
    let moves = 0;
    const tried = () => [...this.#known.keys()].filter(isMove);
    for (let left = SEARCHES; left > 0 && (!moves || tried().length < moves); left--)
      await this.#search(this.#question, { avoid: tried() }, ({ lines: [first, ...more] }) => {
        if (!first) return;
        if (left === SEARCHES) {
          moves = more.length + 1;
          const label = beginningOf(first, [first, ...more]);
          this.#best = { ...valued(first, seat), actions: actionsOf(first), planned: first.plan.length > 0, label };
        }
        for (const line of [first, ...more])
          if (line.visits >= LEAST) this.#known.set(line.action?.text ?? "", valued(line, seat));
      });
  }

  /** Search some actions, and take each table; a search that is refused or cut off leaves what is known. */
  async #search(
    question: hints.Question,
    among: hints.Among,
    take: (table: RecommendMoveResponse) => void,
    time = THINKS,
    every = EVERY,
  ): Promise<void> {
    const how = { background: true, every, ...among };
    try {
      for await (const { recommendation } of hints.analysed(question, time, this.#stop.signal, how))
        if (recommendation) take(recommendation);
    } catch {
      // Then nothing is asked.
    }
  }
}

/** The actions of a line that are played at once: one, or a whole plan. */
function actionsOf({ action, plan, principalVariation }: Line): string[] {
  const end = principalVariation.findIndex((one) => !PLANNED.test(one));
  const actions = end < 0 ? principalVariation : principalVariation.slice(0, end);
  const last = actions.indexOf("finish") + 1;
  return plan.length ? actions.slice(0, last || actions.length) : [action?.text ?? ""];
}

/** The sums of what actions bring to a seat, by thing. */
function summed(applied: readonly AppliedAction[], seat: number | undefined): Amounts {
  const sums: Record<string, number> = {};
  for (const { thing, amount, seat: whose } of applied.flatMap(({ changes }) => changes))
    if (whose === seat) sums[thing] = (sums[thing] ?? 0) + amount;
  return sums;
}

/** Whether a name is that of a single action, not of a plan. */
const isMove = (name: string) => !name.includes(",");

const valued = (line: Line, seat: number): Value => ({
  share: line.winShares[seat] ?? 0,
  error: line.standardErrors[seat] ?? 0,
  points: line.margin,
});

/** The factor from the margin of who decides to ours; among three and more it is not known. */
function ourPart(turn: Turn | undefined, seat: number, seats: number): number | undefined {
  const decider = seatOf(turn) ?? seat; // at a chance event the margin is that of who asks
  return decider === seat ? 1 : seats === 2 ? -1 : undefined;
}

/** What a seat may expect in a position: of its best action, or over the outcomes of a chance event. */
function expected({ lines }: RecommendMoveResponse, seat: number, part: number | undefined): Value {
  const chances = lines.filter((line) => line.probability !== undefined);
  const among = chances.length ? chances : lines.slice(0, 1);
  const sum = (of: (line: Line) => number | undefined) =>
    among.reduce((total, line) => total + (line.probability ?? 1) * (of(line) ?? 0), 0);
  const value = { share: sum((line) => line.winShares[seat]), error: sum((line) => line.standardErrors[seat]) };
  return part === undefined ? value : { ...value, points: part * sum((line) => line.margin) };
}
