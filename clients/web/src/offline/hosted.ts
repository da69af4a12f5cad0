// A game at one version, from its log: seats, position, turn. It changes nothing; its commands return new entries.

import { type Engine, type GameName, IllegalAction, type Position } from "@clerestory/engine";
import { Code } from "@connectrpc/connect";
import { type EndReason, type GameOptions, TakeBacks } from "../gen/clerestory/v1/games_pb.ts";
import { failure } from "./failure.ts";

export interface Holder {
  readonly kind: "person" | "bot";
  readonly name: string;
  /** Empty for a seat that no person has held. */
  readonly token: string;
  /** Level of the bot, 0 for full strength, and its time for a move. */
  readonly level: number;
  readonly thinkMs: number;
}

/** A move: of a seat, or of chance. */
export interface Move {
  readonly kind: "played" | "forced" | "drawn";
  /** Whose turn it was: a seat, or -1 for chance. */
  readonly seat: number;
  readonly text: string;
  readonly time: number;
}

export type Entry =
  | Move
  | { readonly kind: "back"; readonly seat: number; readonly ply: number; readonly time: number }
  | { readonly kind: "seated"; readonly seat: number; readonly holder: Holder; readonly time: number }
  | { readonly kind: "ended"; readonly seat: number; readonly reason: EndReason; readonly time: number };

/** The stored part of a game; only this thread reads it, as it holds the seed of all luck. */
export interface StoredGame {
  readonly id: string;
  readonly game: GameName;
  /** Revision of the rules and hash of the cards. */
  readonly rules: string;
  readonly seed: bigint;
  readonly requestId: string;
  readonly owner: string;
  readonly options: Pick<GameOptions, "hints" | "takeBacks" | "playForced">;
  readonly seats: readonly Holder[];
  readonly created: number;
  readonly entries: readonly Entry[];
}

const OVER = -2;
const WORLDS = 16; // deals to try whether an action showed something hidden, as on the server

export class HostedGame {
  readonly stored: StoredGame;
  readonly seats: Holder[];
  /** The moves that lead to the position, with the versions after them. */
  readonly line: (Move & { readonly version: number })[] = [];
  /** The ply after each entry. */
  readonly plies: number[] = [];
  readonly ended: (Entry & { kind: "ended" }) | undefined;
  /** Why it cannot be played; empty if it can. */
  readonly frozen: string;
  readonly #position: Position;
  readonly #now: () => number;

  constructor(stored: StoredGame, engine: Engine, now: () => number) {
    this.stored = stored;
    this.#now = now;
    this.seats = [...stored.seats];
    for (const [index, entry] of stored.entries.entries()) {
      if (entry.kind === "back") this.line.length = this.decisionBefore(entry.ply);
      else if (entry.kind === "seated") this.seats[entry.seat] = entry.holder;
      else if (entry.kind === "ended") this.ended = entry;
      else this.line.push({ ...entry, version: index + 1 });
      this.plies.push(this.line.length);
    }
    this.#position = opening(stored, engine);
    if (!stored.entries.length) this.frozen = "";
    else
      this.frozen = rulesOf(engine) === stored.rules ? this.#replay() : "it has other rules or cards than this version";
  }

  /** Play the moves again; return why that cannot be done. */
  #replay(): string {
    try {
      for (const { kind, text } of this.line) if (kind !== "drawn") this.#position.play(text);
    } catch (error) {
      return String(error);
    }
    const same = this.#position.history.map(({ text }) => text).join() === this.line.map(({ text }) => text).join();
    return same ? "" : "its chance events are others in this version";
  }

  get version(): number {
    return this.stored.entries.length;
  }

  get ply(): number {
    return this.line.length;
  }

  get over(): boolean {
    return this.ended !== undefined || this.#position.turn === OVER;
  }

  /** The seat to decide; undefined if no one can act. */
  get turn(): number | undefined {
    return this.over || this.frozen ? undefined : this.#position.turn;
  }

  /** The seat that a bot is to move for. */
  get mover(): number | undefined {
    return this.turn !== undefined && this.seats[this.turn]?.kind === "bot" ? this.turn : undefined;
  }

  /** The whole position of a ply. */
  at(ply = this.ply): Position {
    return this.#position.at(ply);
  }

  /** The ply that a take-back leads to: before forced actions, which would be played again at once. */
  decisionBefore(ply: number): number {
    let found = ply;
    if (this.line[ply]?.kind === "forced") while (found > 0 && this.line[found]?.kind !== "played") found -= 1;
    return found;
  }

  // -- commands ------------------------------------------------------------------------------------------------------

  /** The chance events of the opening, and forced actions after them. */
  begin(): Move[] {
    return [...this.#since(0, "drawn"), ...this.#advance()];
  }

  /** Play actions of the seat to decide, and what follows automatically. */
  play(texts: readonly string[]): Move[] {
    const seat = this.turn;
    const made = texts.flatMap((text, index) => {
      if (this.#position.turn !== seat) throw illegal(`actions[${index}]`, "comes after the turn of its seat");
      try {
        return this.#play("played", text);
      } catch (error) {
        throw error instanceof IllegalAction ? illegal(`actions[${index}]`, error.message) : error;
      }
    });
    return [...made, ...this.#advance()];
  }

  #play(kind: "played" | "forced", text: string): Move[] {
    const before = this.#position.history.length;
    this.#position.play(text);
    return this.#since(before, kind);
  }

  /** The moves after a ply: the first one of a kind, and chance events after it. */
  #since(before: number, first: Move["kind"]): Move[] {
    return this.#position.history.slice(before).map(({ text }, index) => ({
      kind: index ? "drawn" : first,
      seat: this.#position.at(before + index).turn,
      text,
      time: this.#now(),
    }));
  }

  /** Play the only action of a person again and again. */
  #advance(): Move[] {
    const found: Move[] = [];
    for (let only = this.#forced(); only !== undefined; only = this.#forced())
      found.push(...this.#play("forced", only));
    return found;
  }

  #forced(): string | undefined {
    const { turn } = this.#position;
    if (!this.stored.options.playForced || this.seats[turn]?.kind !== "person") return undefined;
    const [action, ...others] = this.#position.legalActions();
    return others.length ? undefined : action?.text;
  }

  /** Take moves back; the people are at one screen, and so agree. */
  takeBack(seat: number, ply: number): Entry[] {
    const to = this.decisionBefore(ply);
    const { takeBacks } = this.stored.options;
    if (ply >= this.ply) throw failure("BAD_PLY", `is ${ply}; must be below ${this.ply}`, { field: "ply" });
    if (takeBacks === TakeBacks.NEVER) throw rejected("this game does not allow take-backs");
    if (this.line[to]?.kind !== "played") throw rejected(`nobody decided anything at ply ${ply}`);
    if (takeBacks !== TakeBacks.ALL && this.line.slice(to).some(({ kind }) => kind === "drawn"))
      throw rejected(`a chance event has happened since ply ${ply}`);
    if (takeBacks !== TakeBacks.ALL && this.#hasShown(to)) throw rejected("a hidden card has been shown since");
    return [{ kind: "back", seat, ply, time: this.#now() }];
  }

  /** Whether a bot has shown people something hidden since a ply. */
  #hasShown(from: number): boolean {
    const eyes = this.seats.flatMap(({ token }, seat) => (token ? [seat] : []));
    return this.line.slice(from).some((move, index) => {
      const before = this.at(from + index);
      const agrees = this.seats[before.turn]?.kind === "person";
      return eyes.some((seat) => (seat === before.turn || !agrees) && shows(before, move.text, seat));
    });
  }

  /** Give a seat to a bot, or back to its person. */
  setSeat(seat: number, holder: Holder): Entry[] {
    const held = this.seats[seat];
    if (JSON.stringify(held) === JSON.stringify(holder)) return [];
    return [{ kind: "seated", seat, holder, time: this.#now() }];
  }

  end(reason: EndReason, seat: number): Entry[] {
    return this.ended ? [] : [{ kind: "ended", reason, seat, time: this.#now() }];
  }
}

/** The first position with its luck. */
function opening({ seats, seed }: StoredGame, engine: Engine): Position {
  return engine.newGame({ seats: seats.length, seed });
}

export function rulesOf({ identity }: Engine): string {
  return `${identity.rulesRevision} ${identity.catalogue}`;
}

/** Whether an action shows a seat something hidden: in some deal it is illegal, or looks different. */
function shows(before: Position, text: string, seat: number): boolean {
  const known = before.observe(seat);
  if (`${known.toBytes()}` === `${before.toBytes()}`) return false;
  const after = `${before.at(0).play(text).observe(seat).toBytes()}`;
  return Array.from({ length: WORLDS }, (_, seed) => known.determinize(seed)).some((world) => {
    const legal = world.legalActions().some((action) => action.text === text);
    return !legal || `${world.play(text).observe(seat).toBytes()}` !== after;
  });
}

const illegal = (field: string, message: string) =>
  failure("ILLEGAL_ACTION", message, { code: Code.FailedPrecondition, field });

const rejected = (message: string) => failure("TAKE_BACK_REFUSED", message, { code: Code.FailedPrecondition });
