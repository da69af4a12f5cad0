/**
 * The engine of Clerestory in browsers and in Node.
 *
 * @module @clerestory/engine
 */

export type { AnalyzeOptions, GameName, LoadOptions, NewGame, SearchOptions } from "./engine.ts";
export { Engine } from "./engine.ts";
export type { Violation } from "./errors.ts";
export { BadOption, BadPosition, EngineError, IllegalAction } from "./errors.ts";
export type { Line } from "./lines.ts";
export type { TieBreak } from "./points.ts";
export type { Action } from "./position.ts";
export { Position } from "./position.ts";
export type { Recommendation, StopReason } from "./search.ts";
