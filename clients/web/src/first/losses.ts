// The loss of a move, from a search that runs while its player thinks. The page never waits for it.

import { create } from "@bufbuild/protobuf";
import { seatCount, seatOf } from "../boards/seats.ts";
import * as hints from "../game/hints.ts";
import type { Line, RecommendMoveResponse } from "../gen/clerestory/v1/advisor_pb.ts";
import { AnyPositionSchema, type Turn } from "../gen/clerestory/v1/rules_pb.ts";
import { labelOf, planOf } from "../language/labels.ts";
import { rules } from "../service/api.ts";

const THINKS = 2000; // milliseconds of a search
const EVERY = 500; // milliseconds between tables, which have some kilobytes each
const SEARCHES = 4; // of a position: the first is for the best moves, the others for those that it has hardly tried
const LEAST = 8; // visits of a line whose value counts
const EXPLAINS = 1000; // milliseconds of a search that compares two moves
const SURE = 2; // standard errors that a loss must exceed to be significant

/** What a move gives up: of a win, and in points as the search expects them; and the better move in words. */
export interface Loss {
  share: number;
  points: number;
  better: string;
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
  #best: (Value & { action: string; label: string }) | undefined;
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
    const { position, seat = 0, observer } = this.#question;
    const kind = { case: "position" as const, value: position };
    const answer = await rules.applyActions({ position: create(AnyPositionSchema, { kind }), actions: [...plan] });
    const { winShares, margins } = answer.outcome ?? {};
    if (winShares) this.#known.set(name, { share: winShares[seat] ?? 0, error: 0, points: margins?.[seat] ?? 0 });
    else if (answer.position?.kind.case === "position") {
      const reached = { position: answer.position.kind.value, observer: observer ?? { seat }, game: "" };
      const part = ourPart(answer.turn, seat, seatCount(reached.position));
      await this.#search(reached, {}, (table) => this.#known.set(name, expected(table, seat, part)));
    }
  }

  /** What a move gives up; undefined where that is not known, or within chance. */
  of(actions: readonly string[]): Loss | undefined {
    const own = this.#known.get(actions.join());
    const best = this.#best;
    if (!best || !own) return undefined;
    const share = best.share - own.share;
    if (share <= SURE * Math.hypot(best.error, own.error)) return undefined;
    return { share, points: own.points === undefined ? 0 : (best.points ?? 0) - own.points, better: best.label };
  }

  /** Ask why the best move is better than another one; a service may explain it in a sentence or two. */
  async explain([action = "", ...more]: readonly string[], tell: (reason: string) => void): Promise<void> {
    const best = this.#best?.action;
    if (more.length || !best || best === action) return;
    const told = ({ reasons }: RecommendMoveResponse) =>
      tell(
        reasons
          .slice(1)
          .map((one) => one.text)
          .join(" "),
      );
    await this.#search(this.#question, { consider: [best, action] }, told, EXPLAINS);
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
          const label = planOf(first.plan) || labelOf(first.action);
          this.#best = { ...valued(first, seat), action: first.action?.text ?? "", label };
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
  ): Promise<void> {
    const how = { background: true, every: EVERY, ...among };
    try {
      for await (const { recommendation } of hints.analysed(question, time, this.#stop.signal, how))
        if (recommendation) take(recommendation);
    } catch {
      // Then nothing is asked.
    }
  }
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
