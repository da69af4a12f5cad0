// The compiled engine for one game: its memory, and its functions over positions.

import type { GameData } from "./data.ts";
import { EngineError } from "./errors.ts";

/** The functions of wasm/bridge.pyx. Addresses are numbers. */
export interface Functions {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  begin(): void;
  engine_begin(actions: number): number;
  engine_tables(): number;
  engine_tables_size(): number;
  engine_options(): number;
  engine_options_size(): number;
  engine_weights(rows: number): number;
  engine_priors(factors: number, rounds: number): void;
  engine_memory(size: number): number;
  portable_exp(x: number): number;
  portable_log(x: number): number;
  luck_seed(luck: number, seed: bigint): void;
  luck_unit(luck: number): number;
  state_setup(state: number, seats: number, luck: number): void;
  state_turn(state: number): number;
  state_legal(state: number, out: number): number;
  state_odds(state: number, out: number): void;
  state_draw(state: number, luck: number): number;
  state_play(state: number, action: number): void;
  state_returns(state: number, out: number): void;
  state_scores(state: number, out: number): void;
  state_observe(state: number, seat: number): void;
  state_deal(state: number, luck: number): void;
  state_key(state: number, seat: number): bigint;
  state_round(state: number): number;
  state_broken(state: number): number;
  broken_field(invariant: number): number;
  random_games(seats: number, games: number, seed: bigint): number;
  search_open(view: number, observer: number, seat: number, seed: bigint, maxBytes: number, maxVisits: number): number;
  search_allow(iterations: number): void;
  search_run(pause: number, deadline: number, early: number): number;
  search_iterations(): number;
  search_figures(out: number): void;
  search_lines(exponent: number, lead: number, marginShare: number, scale: number, out: number): number;
  search_variation(action: number, out: number): number;
}

/** What the engine of one game is made of; can be sent to a worker. */
export interface Parts {
  readonly module: WebAssembly.Module;
  readonly data: GameData;
  /** The binary files, by learned value. */
  readonly contents: Readonly<Record<string, Uint8Array>>;
}

/** A learned value in memory: the addresses of its rows and of its priors, and its other weights. */
interface LoadedValue {
  readonly rows: number;
  readonly others: Uint8Array;
  readonly priors: number;
}

const LUCK_BYTES = 32;
const LEGAL = 128; // actions of a decision, at most
const OUT_BYTES = 1 << 16;

const ORIGIN = performance.timeOrigin;

/** Seconds, from the same origin in every thread of a page or process. */
export function now(): number {
  return (ORIGIN + performance.now()) / 1000;
}

export class Core {
  readonly data: GameData;
  readonly functions: Functions;
  /** Addresses: of a position, of random numbers, and of what functions write. */
  readonly state: number;
  readonly luck: number;
  readonly out: number;
  readonly #values = new Map<string, LoadedValue>();

  constructor({ module, data, contents }: Parts) {
    this.data = data;
    const instance = new WebAssembly.Instance(module, { env: { now } });
    this.functions = instance.exports as unknown as Functions;
    this.functions._initialize();
    this.functions.begin();
    const size = this.functions.engine_begin(data.actions.length);
    require("a position", size, data.stateBytes);
    this.state = this.functions.engine_memory(size);
    this.luck = this.functions.engine_memory(LUCK_BYTES);
    this.out = this.functions.engine_memory(OUT_BYTES);
    for (const [value, content] of Object.entries(contents)) this.#load(value, content);
  }

  /** Copy the tables of the cards, and a value, to memory. */
  #load(value: string, content: Uint8Array): void {
    const memory = this.data.memory[value];
    if (memory === undefined) throw new EngineError(`${value}: not a value of this build`);
    const part = ([at, length]: readonly [number, number]) => content.subarray(at, at + length);
    require("the tables", this.functions.engine_tables_size(), memory.tables[1]);
    this.write(this.functions.engine_tables(), part(memory.tables));
    const rows = align(this.functions.engine_memory(memory.rows[1] + 64));
    const priors = this.functions.engine_memory(memory.priors[1]);
    this.write(rows, part(memory.rows));
    this.write(priors, part(memory.priors));
    this.#values.set(value, { rows, others: part(memory.others), priors });
  }

  read(at: number, size: number): Uint8Array {
    return new Uint8Array(this.functions.memory.buffer, at, size).slice();
  }

  write(at: number, content: Uint8Array): void {
    new Uint8Array(this.functions.memory.buffer).set(content, at);
  }

  doubles(count: number): number[] {
    return [...new Float64Array(this.functions.memory.buffer, this.out, count)];
  }

  codes(count: number): number[] {
    return [...new Uint16Array(this.functions.memory.buffer, this.out, count)];
  }

  /** Set the options, the value and the priors of the next search. */
  configure(seats: number): void {
    const { value = "", loop = "" } = this.data.tuning.bySeats[seats] ?? {};
    const options = fromHex(loop);
    require("the options", this.functions.engine_options_size(), options.length);
    this.write(this.functions.engine_options(), options);
    const [loaded, memory] = [this.#values.get(value), this.data.memory[value]];
    if (loaded === undefined || memory === undefined) throw new EngineError(`${value}: the value is not loaded`);
    this.write(this.functions.engine_weights(loaded.rows), loaded.others);
    const [fewest, most] = this.data.seats;
    const table = memory.priors[1] / (most - fewest + 1);
    this.functions.engine_priors(loaded.priors + (seats - fewest) * table, memory.rounds);
  }

  /** Return a random number from 0 to 1: the first of a seed. */
  unit(seed: bigint): number {
    this.functions.luck_seed(this.luck, seed);
    return this.functions.luck_unit(this.luck);
  }

  // -- positions: each function gets the memory of one ---------------------------------------------------------------

  turn(state: Uint8Array): number {
    this.write(this.state, state);
    return this.functions.state_turn(this.state);
  }

  legal(state: Uint8Array): number[] {
    if (this.turn(state) === OVER) return [];
    return this.codes(Math.min(this.functions.state_legal(this.state, this.out), LEGAL));
  }

  play(state: Uint8Array, action: number): Uint8Array {
    this.write(this.state, state);
    this.functions.state_play(this.state, action);
    return this.read(this.state, state.length);
  }

  observe(state: Uint8Array, seat: number): Uint8Array {
    this.write(this.state, state);
    this.functions.state_observe(this.state, seat);
    return this.read(this.state, state.length);
  }

  /** Fill in every unknown, with the random numbers of a seed. */
  deal(state: Uint8Array, seed: bigint): Uint8Array {
    this.write(this.state, state);
    this.functions.luck_seed(this.luck, seed);
    this.functions.state_deal(this.state, this.luck);
    return this.read(this.state, state.length);
  }

  scores(state: Uint8Array, of: "state_scores" | "state_returns"): number[] {
    this.write(this.state, state);
    this.functions[of](this.state, this.out);
    return this.doubles(state[0] ?? 0);
  }

  /** Return the name of the field that breaks a rule, undefined if none does; "" if any of several may be wrong. */
  broken(state: Uint8Array): string | undefined {
    this.write(this.state, state);
    const number = this.functions.state_broken(this.state);
    if (number < 0) return undefined;
    const memory = new Uint8Array(this.functions.memory.buffer);
    const at = this.functions.broken_field(number);
    return new TextDecoder().decode(memory.slice(at, memory.indexOf(0, at)));
  }
}

/** Turns that are no seats. */
export const NATURE = -1;
export const OVER = -2;

function require(what: string, found: number, wanted: number): void {
  if (found !== wanted) throw new EngineError(`${what}: ${found} bytes, and ${wanted} in the files: not of one build`);
}

function align(address: number): number {
  return (address + 63) & ~63;
}

function fromHex(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
