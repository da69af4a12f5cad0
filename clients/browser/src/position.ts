// Positions: print, play, take back, observe; luck is explicit.

import { type Core, NATURE, OVER } from "./core.ts";
import { BadOption, EngineError, IllegalAction, quoted, requireSeed, requireWhole } from "./errors.ts";
import type { Json } from "./kinds.ts";
import type { Layout } from "./layout.ts";
import { bySource, type TieBreak, tieBreakOf } from "./points.ts";

/** An action: its text, and a label in plain English. */
export interface Action {
  readonly code: number;
  readonly text: string;
  readonly label: string;
}

/** What positions of one game share. */
export interface Rules {
  readonly core: Core;
  readonly layout: Layout;
  readonly codes: ReadonlyMap<string, number>;
}

interface Ply {
  readonly code: number;
  readonly state: Uint8Array;
  readonly luck: Uint8Array | undefined;
}

export class Position {
  readonly #rules: Rules;
  readonly #past: Ply[] = [];
  #state: Uint8Array;
  #luck: Uint8Array | undefined;

  /** Made by an engine. With random numbers, chance events play themselves. */
  constructor(rules: Rules, state: Uint8Array, luck?: Uint8Array) {
    this.#rules = rules;
    this.#state = state;
    this.#luck = luck;
    this.#settle();
  }

  /** Name of the game. */
  get game(): string {
    return this.#rules.core.data.name;
  }

  /** Number of players. */
  get seats(): number {
    return this.#state[0] ?? 0;
  }

  /** The seat to decide; -1 if a chance event is due, -2 if the game is over. */
  get turn(): number {
    return this.#rules.core.turn(this.#state);
  }

  get over(): boolean {
    return this.turn === OVER;
  }

  /** Actions played since this position was made, chance events included, oldest first. */
  get history(): readonly Action[] {
    return this.#past.map(({ code }) => this.#action(code));
  }

  /** The actions of the seat to decide, or the outcomes of a chance event; none if the game is over. */
  legalActions(): Action[] {
    return this.#rules.core.legal(this.#state).map((code) => this.#action(code));
  }

  /** Play an action, by its text. Throws IllegalAction or BadOption, and leaves the position as it was. */
  play(action: string | Action): this {
    const text = typeof action === "object" ? action?.text : action;
    if (typeof text !== "string") throw new BadOption("action", `${quoted(action)} is neither an action nor its text`);
    const plain = text.trim().replace(/\s+/g, " ");
    const code = this.#rules.codes.get(plain);
    const legal = this.#rules.core.legal(this.#state);
    if (code === undefined || !legal.includes(code)) throw this.#illegal(plain, code, legal);
    this.#advance(code, this.#luck);
    this.#settle();
    return this;
  }

  /** Take back the last action, and the chance events after it. Throws EngineError if there is none. */
  undo(): Action {
    const { core } = this.#rules;
    const decided = ({ state }: Ply) => this.#luck === undefined || core.turn(state) !== NATURE;
    const place = this.#past.findLastIndex(decided);
    const last = this.#past[place];
    if (last === undefined) throw new EngineError("nothing to undo");
    this.#past.splice(place);
    this.#state = last.state;
    this.#luck = last.luck;
    return this.#action(last.code);
  }

  /** Return the position after a number of actions of the history, 0 for the first; its chance events are not drawn. */
  at(ply: number): Position {
    const next = this.#past[requireWhole("ply", ply, 0, this.#past.length)];
    return new Position(this.#rules, next?.state ?? this.#state);
  }

  /** Return an independent copy, without the history. */
  copy(): Position {
    return new Position(this.#rules, this.#state.slice(), this.#luck?.slice());
  }

  /** Return the position as a seat knows it; -1 for an onlooker. It has no history and no random generator. */
  observe(seat: number): Position {
    requireWhole("seat", seat, NATURE, this.seats - 1);
    return new Position(this.#rules, this.#rules.core.observe(this.#state, seat));
  }

  /** Return the position with every unknown filled in, with the random numbers of a seed. Throws BadOption. */
  determinize(seed: number | bigint): Position {
    return new Position(this.#rules, this.#rules.core.deal(this.#state, requireSeed(seed)));
  }

  /** Return the probability of each outcome of the chance event that is due, in the order of `legalActions`. */
  odds(): number[] {
    if (this.turn !== NATURE) throw new EngineError("no chance event is due");
    const { core } = this.#rules;
    const { length } = core.legal(this.#state);
    core.functions.state_odds(core.state, core.out);
    return core.doubles(length);
  }

  /** Return the score of each seat so far. */
  scores(): number[] {
    return this.#rules.core.scores(this.#state, "state_scores");
  }

  /** Return the points of each seat by source; they add up to its score. */
  pointSources(): Record<string, number>[] {
    return this.#players().map((player) => bySource(player, this.#rules.core.data.points));
  }

  /** Return what breaks a tie of the best scores; undefined without a tie. */
  tieBreak(): TieBreak | undefined {
    return tieBreakOf(this.#players(), this.#rules.core.data.points);
  }

  #players(): Record<string, Json>[] {
    return this.toJSON()[this.game].players;
  }

  /** Return the win share of each seat; they add up to 1. Throws EngineError before the end. */
  winShares(): number[] {
    if (!this.over) throw new EngineError("the game is not over");
    return this.#rules.core.scores(this.#state, "state_returns");
  }

  /** Return the position's memory: equal for equal positions. */
  toBytes(): Uint8Array {
    return this.#state.slice();
  }

  /** Return the position in the form of a position file. */
  toJSON(): Record<string, Json> {
    return this.#rules.layout.unpack(this.#state);
  }

  toString(): string {
    return JSON.stringify(this);
  }

  #action(code: number): Action {
    const { actions, labels } = this.#rules.core.data;
    return { code, text: actions[code] ?? "", label: labels[code] ?? "" };
  }

  #advance(code: number, luckBefore: Uint8Array | undefined): void {
    this.#past.push({ code, state: this.#state, luck: luckBefore });
    this.#state = this.#rules.core.play(this.#state, code);
  }

  /** Play the chance events that are due, if the position has random numbers. */
  #settle(): void {
    const { core } = this.#rules;
    while (this.#luck !== undefined && this.turn === NATURE) {
      const before = this.#luck;
      core.write(core.luck, before);
      const outcome = core.functions.state_draw(core.state, core.luck);
      this.#luck = core.read(core.luck, before.length);
      this.#advance(outcome, before);
    }
  }

  #illegal(text: string, code: number | undefined, legal: readonly number[]): IllegalAction {
    const texts = legal.map((one) => this.#action(one).text);
    if (code === undefined) return new IllegalAction(`${quoted(text)}: no action of ${this.game}`, texts);
    const says = texts.length ? `legal here: ${texts.join(", ")}` : "the game is over";
    return new IllegalAction(`${text}: not legal; ${says}`, texts);
  }
}

/** Require a position of a game. Throws BadOption. */
export function requirePosition(position: unknown, game: string): Position {
  if (position instanceof Position && position.game === game) return position;
  const found = position instanceof Position ? `of ${position.game}` : "not a position";
  throw new BadOption("position", `is ${found}; this engine plays ${game}`);
}
