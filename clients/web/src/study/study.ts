// A study: a record or any position, to step through and play on from, with chance outcomes chosen or drawn.

import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { computed, signal } from "@preact/signals";
import { COLOURS } from "../boards/places.ts";
import { inside } from "../game/inside.ts";
import type { GameSeat } from "../gen/clerestory/v1/games_pb.ts";
import { type Position, PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import {
  type AnyPosition,
  AnyPositionSchema,
  type AppliedAction,
  type LegalAction,
  type Outcome,
  type Turn,
  TurnKind,
} from "../gen/clerestory/v1/rules_pb.ts";
import { say } from "../language/texts.ts";
import { rules, wordsOf } from "../service/api.ts";
import { again, insist, mayPass } from "../service/insist.ts";
import { Series } from "../service/newest.ts";

/** An imported file, until its screen reads it. */
export const IMPORTED = "imported";

/** A game that the server keeps, or a record as text. */
export type Source = { gameId: string; tokens: string[] } | { record: string };

interface Reached {
  position: AnyPosition;
  turn: Turn | undefined;
  outcome: Outcome | undefined;
  points: readonly number[];
}

/** The end of a game by its players: the winner's seat; not set where they abandoned it. */
export interface EarlyEnd {
  winner?: number;
}

/** The content of a record: its opening and its actions, and how its players ended it if they did. */
export interface Told {
  opening: AnyPosition;
  actions: string[];
  early?: EarlyEnd | undefined;
}

/** The first record of a file, or a position. Throws an Error that describes what is wrong. */
export async function read(file: string): Promise<Told> {
  const lines = parse(file);
  const [first] = lines;
  if (first === undefined) throw new Error(say("study.empty"));
  if (first === null || typeof first !== "object" || Array.isArray(first)) throw new Error(say("study.not_position"));
  if (!("record" in first)) return { opening: await opening(first), actions: [] };
  const plies = lines.slice(1).map((line) => line as Record<string, JsonValue>);
  const end = plies.findIndex((line) => "end" in line);
  const played = plies.slice(0, end < 0 ? undefined : end);
  return {
    opening: await opening(first.position ?? null),
    actions: played.map((line) => String(line.action)),
    early: earlyEnd(plies[end]),
  };
}

/** The text of the first record of a file. A file of many games is too large for a request. */
export const firstRecord = (file: string) => file.trim().split(/\n(?=\{\s*"record")/, 1)[0] ?? "";

/** What the last line of a record says of an early end. */
function earlyEnd(last: Record<string, JsonValue> | undefined): EarlyEnd | undefined {
  const winner = COLOURS.indexOf(String(last?.winner));
  if (last?.ended === "resigned" && winner >= 0) return { winner };
  return last?.ended === "abandoned" ? {} : undefined;
}

/** One JSON text per line, or one over several lines. */
function parse(file: string): JsonValue[] {
  try {
    return [JSON.parse(file) as JsonValue];
  } catch {
    // It is more than one line of JSON, or none at all.
  }
  const lines = file.split("\n").filter((line) => line.trim());
  return lines.map((line, number) => {
    try {
      return JSON.parse(line) as JsonValue;
    } catch {
      throw new Error(say("study.not_json", { number: number + 1 }));
    }
  });
}

/** The position in a file: a referee's if nothing is unknown, else a seat's. */
async function opening(json: JsonValue): Promise<AnyPosition> {
  let truth: Position;
  try {
    truth = fromJson(PositionSchema, json);
  } catch {
    throw new Error(say("study.not_position"));
  }
  const whole = create(AnyPositionSchema, { kind: { case: "referee", value: { truth } } });
  const checked = await rules.validatePosition({ position: whole });
  return checked.faults.length ? create(AnyPositionSchema, { kind: { case: "position", value: truth } }) : whole;
}

export class Study {
  readonly name: string;
  /** Who holds the seats of a kept game. */
  readonly seats: readonly GameSeat[];
  readonly told: Told;
  /** The source for a review. */
  readonly source: Source;
  /** The actions of the current line, which follows the record until another action is played. */
  readonly line = signal<string[]>([]);
  /** The displayed ply. */
  readonly at = signal(0);
  /** The ply to be displayed as soon as its position has arrived. */
  readonly wanted = signal(0);
  readonly busy = computed(() => this.#drawing.value || this.wanted.value !== this.at.value);
  readonly reached = signal<Reached | undefined>(undefined);
  readonly applied = signal<AppliedAction[]>([]);
  readonly actions = signal<LegalAction[]>([]);
  readonly trouble = signal("");
  /** The marks of a review on the actions of the record, by the ply they led to. */
  readonly glyphs = signal<ReadonlyMap<number, string>>(new Map());

  readonly position = computed(() => this.reached.value && inside(this.reached.value.position));
  /** Whether the line has left the record. */
  readonly strayed = computed(() => this.told.actions.length > 0 && this.line.value !== this.told.actions);

  readonly #drawing = signal(false);
  readonly #calls = new Series();

  constructor(told: Told, source: Source, at = 0, name = "", seats: readonly GameSeat[] = []) {
    this.name = name;
    this.seats = seats;
    this.source = source;
    this.told = told;
    this.line.value = told.actions;
    void this.go(at);
  }

  /** Leave the study. */
  leave(): void {
    this.#calls.next();
  }

  /** Whether the line follows the record up to a ply. */
  follows(ply: number): boolean {
    return this.told.actions.slice(0, ply).every((action, index) => action === this.line.value[index]);
  }

  /** Show the position after a number of actions of the line; the first one is asked for until it is there. */
  async go(ply: number): Promise<void> {
    const at = Math.min(Math.max(ply, 0), this.line.value.length);
    const wanted = this.#calls.next();
    this.wanted.value = at;
    this.trouble.value = "";
    try {
      const reach = () => this.#reach(at);
      const until = { wanted, told: again(this.trouble), passes: mayPass };
      const { position, answer, listed } = await (this.reached.value ? reach() : insist(reach, until));
      if (!wanted()) return;
      this.at.value = at;
      this.reached.value = { position, turn: answer.turn, outcome: answer.outcome, points: listed.points };
      this.actions.value = listed.actions;
      this.applied.value = [
        ...answer.applied,
        ...this.applied.value.slice(answer.applied.length, this.line.value.length),
      ];
      if (this.applied.value.length < this.line.value.length) await this.#label();
    } catch (error) {
      if (!wanted()) return;
      this.wanted.value = this.at.value;
      this.trouble.value = wordsOf(error);
    }
  }

  /** The position after a number of actions of the line, and what can be done there. */
  async #reach(at: number) {
    const answer = await rules.applyActions({ position: this.told.opening, actions: this.line.value.slice(0, at) });
    const position = answer.position as AnyPosition;
    return { position, answer, listed: await rules.listActions({ position }) };
  }

  /** Reload all texts in another language. */
  async again(): Promise<void> {
    this.applied.value = [];
    await this.go(this.at.value);
  }

  /** The labels of the whole line, action by action. */
  async #label(): Promise<void> {
    const line = this.line.value;
    const answer = await rules.applyActions({ position: this.told.opening, actions: line });
    if (line === this.line.value) this.applied.value = answer.applied;
  }

  /** Play an action here, or choose an outcome; later actions of the line are dropped. */
  async play(action: string): Promise<void> {
    const next = this.line.value[this.at.value];
    if (next !== action) {
      this.line.value = [...this.line.value.slice(0, this.at.value), action];
      this.applied.value = this.applied.value.slice(0, this.at.value);
    }
    await this.go(this.at.value + 1);
  }

  /** Play several actions, as a plan has them, until one fails or something else is wanted. */
  async playAll(actions: readonly string[]): Promise<void> {
    for (const action of actions) {
      const next = this.at.value + 1;
      await this.play(action);
      if (this.at.value !== next) return;
    }
  }

  /** Draw all pending chance events. */
  async draw(): Promise<void> {
    const reached = this.reached.value;
    if (this.busy.value || reached?.turn?.kind !== TurnKind.NATURE) return;
    const wanted = this.#calls.newest();
    this.#drawing.value = true;
    this.trouble.value = "";
    try {
      const answer = await rules.applyActions({ position: reached.position, actions: [], draw: true });
      if (!wanted()) return; // the user went elsewhere
      const drawn = answer.applied.map((one) => one.action?.text ?? "");
      this.line.value = [...this.line.value.slice(0, this.at.value), ...drawn];
      this.applied.value = this.applied.value.slice(0, this.at.value);
      await this.go(this.line.value.length);
    } catch (error) {
      if (wanted()) this.trouble.value = wordsOf(error);
    } finally {
      this.#drawing.value = false;
    }
  }

  /** Go back to the record, at the ply where the line left it. */
  async back(): Promise<void> {
    const record = this.told.actions;
    const same = this.line.value.findIndex((action, index) => action !== record[index]);
    this.line.value = record;
    this.applied.value = [];
    await this.go(same < 0 ? this.at.value : same);
  }

  /** The position as the seat to decide may know it, for a hint. */
  async question(seat: number | undefined): Promise<Position | undefined> {
    return seenBy(this.reached.value?.position, seat);
  }

  /** The position before a ply of the record, as a seat may know it. */
  async before(ply: number, seat: number): Promise<Position | undefined> {
    const actions = this.told.actions.slice(0, ply - 1);
    return seenBy((await rules.applyActions({ position: this.told.opening, actions })).position, seat);
  }
}

/** A position as a seat may know it, or an onlooker. */
async function seenBy(position: AnyPosition | undefined, seat: number | undefined): Promise<Position | undefined> {
  if (position?.kind.case !== "referee") return position && inside(position);
  const asked = seat === undefined ? {} : { seat };
  return (await rules.observePosition({ referee: position.kind.value, ...asked })).position;
}

/** A new game to study. */
export async function fresh(game: string, seats: number): Promise<Told> {
  const answer = await rules.startPosition({ game, seats });
  const opening = create(AnyPositionSchema, { kind: { case: "referee", value: answer.referee ?? {} } });
  return { opening, actions: [] };
}
