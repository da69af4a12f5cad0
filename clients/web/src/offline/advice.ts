// Hints, as the service's AdvisorService: searches from what a seat sees.

import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import type { Engine, GameName, Line, Recommendation } from "@clerestory/engine";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type AdvisorService,
  type AnalyzeRequest,
  type LineSchema,
  type RecommendMoveRequest,
  type RecommendMoveResponseSchema,
  StopReason,
} from "../gen/clerestory/v1/advisor_pb.ts";
import { failure, unsupported } from "./failure.ts";
import type { Words } from "./words.ts";
import { readPosition, writeAction } from "./write.ts";

const EVERY_MS = 250; // between two tables
const ONLOOKER = -1;
const REASONS: Record<string, StopReason> = {
  iterations: StopReason.ITERATIONS,
  decided: StopReason.DECIDED,
  time: StopReason.TIME,
  stopped: StopReason.STOPPED,
};

interface Parts {
  engine(game: GameName): Promise<Engine>;
  words(game: GameName, language: string | null): Promise<Words>;
}

type Table = MessageInitShape<typeof RecommendMoveResponseSchema>;

export function adviceOf(parts: Parts): Partial<ServiceImpl<typeof AdvisorService>> {
  return {
    recommendMove: async (question, context) => {
      const { ask } = await read(parts, question, undefined, context);
      return ask(() => undefined, Number.MAX_SAFE_INTEGER);
    },
    analyze: (request, context) => analyze(parts, request, context),
  };
}

async function* analyze(parts: Parts, request: AnalyzeRequest, context: HandlerContext) {
  const { question, observer, updateInterval, targetCertainty } = request;
  if (!question) throw failure("BAD_POSITION", "is missing", { field: "question" });
  if (targetCertainty !== undefined) throw unsupported("target_certainty");
  const { ask } = await read(parts, question, observer && (observer.seat ?? ONLOOKER), context);
  const tables = latest<Table>((update) => ask(update, updateInterval ? durationMs(updateInterval) : EVERY_MS));
  let sequence = 0;
  for await (const { value, final } of tables) yield { recommendation: value, sequence: ++sequence, final };
}

/** The search of a question. Throws for what only servers can do. */
async function read(
  parts: Parts,
  question: RecommendMoveRequest,
  observer: number | undefined,
  { signal, requestHeader }: HandlerContext,
) {
  const { position: message, considerActions, avoidActions, character, level, iterations, seed } = question;
  if (considerActions.length || avoidActions.length) throw unsupported("a search of some actions only");
  if (character) throw unsupported("a character");
  if (!question.timeBudget && iterations === undefined && level === undefined)
    throw failure("BAD_TIME_BUDGET", "is missing, without iterations or level", { field: "time_budget" });
  const game = message?.game.case;
  if (!message || (game !== "cathedral" && game !== "duel"))
    throw failure("BAD_POSITION", "is missing, or of another game", { field: "position" });
  const [engine, words] = await Promise.all([
    parts.engine(game),
    parts.words(game, requestHeader.get("accept-language")),
  ]);
  const position = readPosition(engine, message);
  const limits = {
    signal,
    ...(question.timeBudget && { timeMs: durationMs(question.timeBudget) }),
    ...(iterations !== undefined && { iterations: Number(iterations) }),
    ...(level !== undefined && { level }),
    ...(seed !== undefined && { seed }),
    ...(observer !== undefined && { observer }),
    ...(question.earlyStop !== undefined && { early: question.earlyStop }),
  };
  const { rulesRevision, catalogue, version } = engine.identity;
  const identity = { rulesRevision, catalogue, engineVersion: version };
  const seen = observer === undefined ? {} : { observer: observer === ONLOOKER ? {} : { seat: observer } };
  const write = (found: Recommendation): Table => ({
    ...tableOf(found, words, question.maxLines),
    ...identity,
    ...seen,
  });
  const ask = async (update: (table: Table) => void, everyMs: number): Promise<Table> =>
    write(await engine.analyze(position, { ...limits, everyMs, onUpdate: (found) => update(write(found)) }));
  return { ask };
}

function tableOf(found: Recommendation, words: Words, maxLines: number) {
  const { seat, best, lines, seed, iterations, nodes, treeBytes, depth, memoryFull, certainty, givenUp } = found;
  const reason = REASONS[found.stopReason];
  return {
    seat,
    best: writeAction(best, words),
    lines: lines.slice(0, maxLines || lines.length).map((line) => lineOf(line, words)),
    seed: BigInt(seed),
    statistics: {
      iterations: BigInt(iterations),
      nodes: BigInt(nodes),
      treeBytes: BigInt(treeBytes),
      depth,
      elapsed: durationFromMs(Math.round(found.elapsedMs)),
      memoryFull,
      threads: 1,
      certainty,
      givenUpVisits: BigInt(givenUp),
      ...(reason !== undefined && { stopReason: reason }),
    },
  };
}

function lineOf(line: Line, words: Words): MessageInitShape<typeof LineSchema> {
  const { action, visits, availability, winShares, standardErrors, margin, marginError, score, lowerBound, loss } =
    line;
  return {
    action: writeAction(action, words),
    visits: BigInt(visits),
    availability: BigInt(availability),
    winShares: [...winShares],
    standardErrors: [...standardErrors],
    margin,
    ...(Number.isFinite(marginError) && { marginError }),
    score,
    lowerBound,
    loss,
    principalVariation: [...line.principalVariation],
    variation: line.principalVariation.map((text) => writeAction(text, words)),
    doubtful: line.doubtful,
  };
}

/** What something reports, the newest only to a slow reader, and then its result. */
async function* latest<T>(run: (report: (value: T) => void) => Promise<T>) {
  const news: { value?: T; wake: () => void } = { wake: () => undefined };
  let ended = false;
  const result = run((value) => {
    news.value = value;
    news.wake();
  });
  const end = () => {
    ended = true;
    news.wake();
  };
  result.then(end, end);
  while (!ended) {
    if (news.value === undefined)
      await new Promise<void>((resolve) => {
        news.wake = resolve;
      });
    const { value } = news;
    delete news.value;
    if (value !== undefined && !ended) yield { value, final: false };
  }
  yield { value: await result, final: true };
}
