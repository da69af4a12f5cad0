// The engine of one game: new games, positions, advice.

import { Core, NATURE, now, OVER, type Parts } from "./core.ts";
import {
  BadOption,
  BadPosition,
  EngineError,
  quoted,
  randomSeed,
  requireFlag,
  requireOptions,
  requireSeed,
  requireWhole,
} from "./errors.ts";
import { loadParts } from "./files.ts";
import type { Json } from "./kinds.ts";
import { Layout } from "./layout.ts";
import { Position, type Rules, requirePosition } from "./position.ts";
import type { Question, Recommendation } from "./search.ts";
import { inThisThread, inWorker, type Searcher } from "./searcher.ts";

export type GameName = "cathedral" | "duel";

export interface LoadOptions {
  /** Whether searches run in a separate worker, which is the default; otherwise they run in this thread. */
  readonly worker?: boolean;
}

export interface NewGame {
  readonly seats: number;
  /** Seed of all luck: a whole number from 0 to 2**64 - 1; a random one if it is missing. */
  readonly seed?: number | bigint;
  /** Whether chance events play themselves, which is the default; otherwise play their outcomes. */
  readonly automatic?: boolean;
}

export interface PositionOptions {
  /** Seed of chance events, which then play themselves. */
  readonly seed?: number | bigint;
}

/** The limits of a search; at least one of `timeMs`, `iterations`, `level` and `signal`. */
export interface SearchOptions {
  readonly timeMs?: number;
  readonly iterations?: number;
  /** Level of play, 1 to 8; full strength if it is missing. */
  readonly level?: number;
  readonly seed?: number | bigint;
  /** Whether to end once nothing can change the best line. */
  readonly early?: boolean;
  readonly signal?: AbortSignal;
  /** The seat whose knowledge is used, -1 for an onlooker; the seat to decide if it is missing. */
  readonly observer?: number;
  /** Memory of the tree, 64 KiB to 1 GiB. */
  readonly maxBytes?: number;
}

export interface AnalyzeOptions extends SearchOptions {
  /** Called with the table so far. */
  readonly onUpdate: (recommendation: Recommendation) => void;
  /** Milliseconds between two updates. */
  readonly everyMs?: number;
}

const OF_LOADING: Record<keyof LoadOptions, true> = { worker: true };
const OF_GAMES: Record<keyof NewGame, true> = { seats: true, seed: true, automatic: true };
const OF_POSITIONS: Record<keyof PositionOptions, true> = { seed: true };
const OF_SEARCHES: Record<keyof SearchOptions, true> = {
  timeMs: true,
  iterations: true,
  level: true,
  seed: true,
  early: true,
  signal: true,
  observer: true,
  maxBytes: true,
};
const OF_ANALYSES: Record<keyof AnalyzeOptions, true> = { ...OF_SEARCHES, onUpdate: true, everyMs: true };
const MAX_BYTES = 14 << 20; // with what is reserved, an engine then has less than 64 MB
const LEAST_BYTES = 1 << 16;
const MOST_BYTES = 1 << 30;
const MOST_ITERATIONS = 2 ** 53 - 1;
const MOST_GAMES = 2 ** 31 - 1;
const UPDATE_MS = 100;
const ANSWER_MS = 2; // from the end of a search to its answer in the page

export class Engine {
  readonly #rules: Rules;
  readonly #searcher: Searcher;

  private constructor(rules: Rules, searcher: Searcher) {
    this.#rules = rules;
    this.#searcher = searcher;
  }

  /** Load the engine of a game. Throws BadOption for an unknown game or option. */
  static async load(game: GameName, options: LoadOptions = {}): Promise<Engine> {
    const { worker = true } = requireOptions(options, OF_LOADING);
    const separate = requireFlag("worker", worker);
    const parts: Parts = await loadParts(game);
    const searcher = separate ? await inWorker(parts) : inThisThread(parts);
    const codes = new Map(parts.data.actions.map((text, code) => [text, code]));
    return new Engine({ core: new Core(parts), layout: new Layout(parts.data), codes }, searcher);
  }

  /** Name of the game. */
  get game(): string {
    return this.#rules.core.data.name;
  }

  /** Version, revision of the rules, hash of the cards, and checksums of the weights by learned value. */
  get identity() {
    const { version, rulesRevision, catalogue, memory } = this.#rules.core.data;
    const weights = Object.fromEntries(Object.entries(memory).map(([value, of]) => [value, of.weights]));
    return { version, rulesRevision, catalogue, weights };
  }

  /** Return the opening of a game, dealt from a seed. Throws BadOption. */
  newGame(options: NewGame): Position {
    const { seats, seed = randomSeed(), automatic = true } = requireOptions(options, OF_GAMES);
    const { core } = this.#rules;
    requireWhole("seats", seats, ...core.data.seats);
    core.functions.luck_seed(core.luck, requireSeed(seed));
    core.functions.state_setup(core.state, seats, core.luck);
    const state = core.read(core.state, core.data.stateBytes);
    return new Position(this.#rules, state, requireFlag("automatic", automatic) ? core.read(core.luck, 32) : undefined);
  }

  /** Return the position of a position file, as text or as an object; with a seed its chance events play themselves.
   *
   * Throws BadPosition. Types, ranges, names and the rules of engine/<game>/invariants.pyx are checked.
   */
  position(json: Json, options: PositionOptions = {}): Position {
    const { seed } = requireOptions(options, OF_POSITIONS);
    const { core, layout } = this.#rules;
    const state = layout.pack(typeof json === "string" ? parsed(json) : structuredClone(json));
    const broken = core.broken(state);
    if (broken !== undefined) {
      throw new BadPosition([{ field: broken ? `${this.game}.${broken}` : this.game, problem: "breaks a rule" }]);
    }
    if (seed === undefined) return new Position(this.#rules, state);
    core.functions.luck_seed(core.luck, requireSeed(seed));
    return new Position(this.#rules, state, core.read(core.luck, 32));
  }

  /** Recommend an action to the seat to decide, from what that seat or the observer can see. Throws BadOption. */
  async recommend(position: Position, options: SearchOptions = {}): Promise<Recommendation> {
    requireOptions(options, OF_SEARCHES);
    const { early = options.level === undefined } = options;
    return this.#ask(position, { ...options, early }, Infinity, () => undefined);
  }

  /** Analyze a position for the seat to decide, with updates until a limit or until the signal aborts. Throws BadOption.
   *
   * If `onUpdate` throws, the search ends, and the promise is rejected with that error.
   */
  async analyze(position: Position, options: AnalyzeOptions): Promise<Recommendation> {
    const { onUpdate, everyMs = UPDATE_MS } = requireOptions(options, OF_ANALYSES);
    const every = requirePositive("everyMs", everyMs) / 1000;
    if (typeof onUpdate !== "function") throw new BadOption("onUpdate", `${quoted(onUpdate)} is not a function`);
    return this.#ask(position, options, every, onUpdate);
  }

  async #ask(
    position: Position,
    options: SearchOptions,
    every: number,
    update: (recommendation: Recommendation) => void,
  ): Promise<Recommendation> {
    const question = { ...this.#question(position, options), every };
    return this.#searcher.ask(question, update, options.signal);
  }

  /** Return a question, which holds what the seat to decide or the observer knows, and nothing else. */
  #question(position: Position, options: SearchOptions): Omit<Question, "every"> {
    const { turn } = requirePosition(position, this.game);
    if (turn === OVER) throw new EngineError("the game is over");
    if (turn === NATURE) throw new EngineError("a chance event is due; play its outcome first");
    const { timeMs, iterations, level, early = false, signal, maxBytes = MAX_BYTES } = options;
    if (timeMs === undefined && iterations === undefined && level === undefined && signal === undefined) {
      throw new BadOption("limits", "none is given: timeMs, iterations, level or signal is needed");
    }
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      throw new BadOption("signal", `${quoted(signal)} is not an AbortSignal`);
    }
    const observer = requireWhole("observer", options.observer ?? turn, NATURE, position.seats - 1);
    return {
      view: this.#view(position, observer),
      observer,
      seat: turn,
      seed: requireSeed(options.seed ?? randomSeed()),
      iterations: this.#iterations(iterations, level),
      deadline: timeMs === undefined ? Infinity : deadlineIn(requirePositive("timeMs", timeMs)),
      early: requireFlag("early", early),
      level: level ?? 0,
      maxBytes: requireWhole("maxBytes", maxBytes, LEAST_BYTES, MOST_BYTES),
    };
  }

  /** Return the memory of a position as a seat knows it. Throws BadPosition if it leaves out what the seat knows. */
  #view(position: Position, seat: number): Uint8Array {
    const { core } = this.#rules;
    const view = position.observe(seat).toBytes();
    const again = core.observe(core.deal(view, 0n), seat);
    if (view.every((byte, i) => byte === again[i])) return view;
    const who = core.data.seatNames[seat] ?? "an onlooker";
    throw new BadPosition([{ field: "position", problem: `leaves out what ${who} knows` }]);
  }

  #iterations(iterations: number | undefined, level: number | undefined): number {
    const { levels } = this.#rules.core.data.tuning;
    const own = iterations === undefined ? Infinity : requireWhole("iterations", iterations, 1, MOST_ITERATIONS);
    if (level === undefined) return own;
    return Math.min(own, levels[requireWhole("level", level, 1, levels.length) - 1]?.iterations ?? own);
  }

  /** End the worker. Questions that are not answered yet fail. */
  close(): void {
    this.#searcher.close();
  }

  /** Play games at random, for measurements; return the number of plies. */
  randomGames(seats: number, games: number, seed: number | bigint): number {
    const { functions, data } = this.#rules.core;
    return functions.random_games(
      requireWhole("seats", seats, ...data.seats),
      requireWhole("games", games, 0, MOST_GAMES),
      requireSeed(seed),
    );
  }
}

/** Return when a search must end so that its answer arrives in time. */
const deadlineIn = (ms: number): number => now() + Math.max(ms - ANSWER_MS, ms / 2) / 1000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadPosition([{ field: "position", problem: `is not JSON: ${(error as Error).message}` }]);
  }
}

function requirePositive(option: string, value: unknown): number {
  if (typeof value === "number" && value > 0 && value < Infinity) return value;
  throw new BadOption(option, `${quoted(value)} is not a number above 0`);
}
