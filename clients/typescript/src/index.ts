/**
 * Advice, rules and hosted games of a server.
 *
 * @module @clerestory/client
 */

export { durationMs as millisecondsOf, timestampDate as dateOf } from "@bufbuild/protobuf/wkt";
export { Code, type Interceptor, type Transport } from "@connectrpc/connect";
export {
  Advisor,
  type AnalyzeOptions,
  type JsonCallOptions,
  type JsonSettings,
  type Limits,
  type PositionLike,
  type RecommendOptions,
} from "./advisor.ts";
export { Client } from "./client.ts";
export { milliseconds } from "./durations.ts";
export { CallError, type FieldViolation, type Kind } from "./errors.ts";
export { JsonCallError, JsonClient } from "./json.ts";
export {
  bot,
  type GameOptions,
  HostedGame,
  type Keys,
  open,
  person,
  requestName,
  type SeatPlan,
  type Seen,
} from "./kept.ts";
export { readPosition } from "./positions.ts";
export { createClient } from "./services.ts";
export { alive } from "./streams.ts";
export { openTransport, type Settings } from "./transport.ts";
