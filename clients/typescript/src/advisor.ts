/**
 * Advice of a server, in a small client without the protobuf library: recommendations and analyses of positions.
 *
 * @module @clerestory/client/advisor
 */

import { isTime, notTime, quoted } from "./connection.ts";
import type {
  AnalyzeRequestJson,
  AnalyzeResponseJson,
  ObserverJson,
  RecommendMoveRequestJson,
  RecommendMoveResponseJson,
} from "./gen/clerestory/v1/advisor_pb.ts";
import type { PositionJson } from "./gen/clerestory/v1/position_pb.ts";
import { badRequest, JsonCallError, type JsonCallOptions, JsonClient, type JsonSettings } from "./json.ts";

export { JsonCallError, type JsonCallOptions, type JsonSettings };

/** The limits of a search, with the names of `@clerestory/engine`; set `timeMs`, `iterations`, or a level or character. */
export interface Limits {
  /** Milliseconds until the answer leaves the server. */
  readonly timeMs?: number;
  readonly iterations?: number | bigint;
  /** Memory of the search tree. */
  readonly maxBytes?: number;
}

/** Arguments with other names than their fields in the protocol. */
const ARGUMENTS: Record<string, string> = {
  time_budget: "timeMs",
  max_tree_bytes: "maxBytes",
  update_interval: "everyMs",
  "observer.seat": "observer",
};

type Own = "position" | "timeBudget" | "iterations" | "maxTreeBytes" | "seed";

/** The limits of a search, and the other fields of a RecommendMoveRequest, such as `level` and `avoidActions`. */
export interface RecommendOptions extends Limits, Omit<RecommendMoveRequestJson, Own> {
  readonly seed?: number | bigint;
}

/** The same, and the fields of an AnalyzeRequest, such as `targetCertainty`. */
export interface AnalyzeOptions
  extends RecommendOptions,
    Omit<AnalyzeRequestJson, "question" | "updateInterval" | "observer"> {
  /** Milliseconds between two tables; 250 if it is missing. */
  readonly everyMs?: number;
  /** The seat whose knowledge is used, -1 for an onlooker; the seat to decide if it is missing. */
  readonly observer?: number;
}

/** A position as JSON, the text of a position file, or a position of `@clerestory/engine`. */
export type PositionLike = PositionJson | string | { toJSON(): unknown };

/** A server's advice. Calls fail with a JsonCallError; `client` makes all other calls of the server. */
export class Advisor {
  readonly client: JsonClient;

  /** `address` is where the server's gateway for browsers is: `http://127.0.0.1:8080`. Throws TypeError. */
  constructor(address: string, settings: JsonSettings = {}) {
    this.client = new JsonClient(address, settings);
  }

  /** Recommend an action to the seat to decide; `best` is missing at a chance event. */
  async recommend(
    position: PositionLike,
    options: RecommendOptions,
    call: JsonCallOptions = {},
  ): Promise<RecommendMoveResponseJson> {
    return this.client.advisor.recommendMove(question(position, options), call).catch(rename);
  }

  /** Yield tables of a search as it runs, until a limit. Leaving the loop ends the search. */
  async *analyze(
    position: PositionLike,
    options: AnalyzeOptions,
    call: JsonCallOptions = {},
  ): AsyncGenerator<AnalyzeResponseJson> {
    const { everyMs, targetCertainty, background, observer, ...asked } = { ...options };
    const request = {
      question: question(position, asked),
      ...(everyMs !== undefined && { updateInterval: duration("everyMs", everyMs) }),
      ...(targetCertainty !== undefined && { targetCertainty }),
      ...(background !== undefined && { background }),
      ...(observer !== undefined && { observer: observerOf(observer) }),
    };
    try {
      yield* this.client.advisor.analyze(request, call);
    } catch (error) {
      rename(error);
    }
  }
}

function question(position: PositionLike, options: RecommendOptions): RecommendMoveRequestJson {
  const { timeMs, iterations, maxBytes, seed, ...fields } = { ...options };
  return {
    ...fields,
    position: (typeof position === "string" ? parsed(position) : position) as PositionJson,
    ...(timeMs !== undefined && { timeBudget: duration("timeMs", timeMs) }),
    ...(iterations !== undefined && { iterations: String(iterations) }),
    ...(maxBytes !== undefined && { maxTreeBytes: String(maxBytes) }),
    ...(seed !== undefined && { seed: String(seed) }),
  };
}

/** Throw an error whose violations name arguments instead of fields of the protocol. */
function rename(error: unknown): never {
  if (error instanceof JsonCallError)
    for (const one of error.violations) Object.assign(one, { field: argumentOf(one.field.replace(/^question\./, "")) });
  throw error;
}

/** `timeMs` for `time_budget`, and `considerActions[0]` for `consider_actions[0]`; the fields of a position keep theirs. */
function argumentOf(field: string): string {
  const camelCase = (name: string) => name.replace(/_(.)/g, (_, next: string) => next.toUpperCase());
  return ARGUMENTS[field] ?? field.replace(/^\w+/, camelCase);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest("position", `is not JSON: ${(error as Error).message}`, "BAD_POSITION");
  }
}

function observerOf(seat: number): ObserverJson {
  if (!Number.isInteger(seat) || seat < -1)
    throw badRequest("observer", `${quoted(seat)} is neither a seat nor -1`, "BAD_SEAT");
  return seat < 0 ? {} : { seat };
}

/** Milliseconds as a duration in JSON, to the nanosecond. */
function duration(field: string, ms: number): string {
  if (isTime(ms) && ms < 1e15) return `${(ms / 1000).toFixed(9)}s`;
  throw badRequest(field, notTime(ms), field === "timeMs" ? "BAD_TIME_BUDGET" : "BAD_UPDATE_INTERVAL");
}
