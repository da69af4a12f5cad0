// Positions in memory and in JSON, both ways, from the declared fields (engine/positions/layout.py).

import type { FieldData, GameData, Member } from "./data.ts";
import { BadPosition, quoted, type Violation } from "./errors.ts";
import { type Around, Fault, type Json, type Kind, kindOf, type Raw } from "./kinds.ts";

interface Field extends FieldData {
  readonly values: Kind;
}

interface Slot {
  readonly path: string;
  readonly field: Field;
  readonly members: readonly Member[];
  /** The object that holds it. */
  readonly owner: Record<string, Json>;
  readonly around: Around;
}

const SIZES: Record<string, number> = { b: 1, B: 1, H: 2, I: 4, Q: 8 };

export class Layout {
  readonly #data: GameData;
  readonly #fields: readonly Field[];
  readonly #playerFields: readonly Field[];

  constructor(data: GameData) {
    this.#data = data;
    const made = (fields: readonly FieldData[]) => fields.map((one) => ({ ...one, values: kindOf(one.kind) }));
    this.#fields = made(data.layout.fields);
    this.#playerFields = made(data.layout.playerFields);
  }

  /** Return a position's memory as JSON. */
  unpack(memory: Uint8Array): Record<string, Json> {
    const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    const fields: Record<string, Json> = {};
    const players = Array.from({ length: memory[0] ?? 0 }, () => ({}));
    for (const { field, members, owner, around } of this.#slots(fields, players)) {
      owner[field.name] = field.values.read(
        members.flatMap((member) => numbers(view, member)),
        around,
      );
    }
    const { name, rulesRevision, catalogue } = this.#data;
    return { rules_revision: rulesRevision, ...(catalogue && { catalogue }), [name]: { ...fields, players } };
  }

  /** Return the memory of a position in JSON. Throws BadPosition. */
  pack(position: Json): Uint8Array {
    const fields = this.#opened(position);
    const memory = new Uint8Array(this.#data.stateBytes);
    const view = new DataView(memory.buffer);
    const slots = this.#slots(fields, fields.players);
    memory[0] = fields.players.length;
    const faults = slots.flatMap((slot) => this.#store(view, slot));
    reject(faults.length ? faults : this.#misplaced(slots));
    return memory;
  }

  #slots(fields: Record<string, Json>, players: Record<string, Json>[]): Slot[] {
    const [first, stride] = this.#data.layout.players;
    const slot = (field: Field, seat: number): Slot => ({
      path: `${this.#data.name}.${seat < 0 ? "" : `players[${seat}].`}${field.name}`,
      field,
      members: field.members.map(([at, code, count]) => [
        at + (first <= at && at < first + stride ? Math.max(seat, 0) * stride : 0),
        code,
        count,
      ]),
      owner: players[seat] ?? fields,
      around: { fields, seat: Math.max(seat, 0), seats: players.length },
    });
    const own = this.#fields.map((field) => slot(field, -1));
    return own.concat(players.flatMap((_, seat) => this.#playerFields.map((field) => slot(field, seat))));
  }

  /** Return the fields of a position, with a value for each. Throws BadPosition. */
  #opened(position: Json): Record<string, Json> {
    const { name, rulesRevision, catalogue, seats } = this.#data;
    if (!isObject(position)) reject([{ field: "position", problem: "must be an object" }]);
    const wrong: Violation[] = [];
    const expect = (field: string, value: unknown, wanted: unknown) =>
      value === wanted || wrong.push({ field, problem: `is ${quoted(value)}; this engine has ${quoted(wanted)}` });
    expect("rules_revision", position.rules_revision, rulesRevision);
    expect("catalogue", position.catalogue ?? "", catalogue);
    wrong.push(...strangers(position, ["$schema", "rules_revision", "catalogue", name], ""));
    if (!isObject(position[name])) wrong.push({ field: name, problem: "must be an object" });
    reject(wrong);
    const fields = { ...Object.fromEntries(this.#fields.map((one) => [one.name, one.default])), ...position[name] };
    const { players } = fields;
    if (!Array.isArray(players) || players.length < seats[0] || players.length > seats[1] || !players.every(isObject)) {
      reject([{ field: `${name}.players`, problem: `must be a list of ${seats[0]} to ${seats[1]} objects` }]);
    }
    const names = (declared: readonly Field[]) => declared.map((one) => one.name);
    reject([
      ...strangers(fields, [...names(this.#fields), "players"], `${name}.`),
      ...players.flatMap((one: Json, i: number) => strangers(one, names(this.#playerFields), `${name}.players[${i}].`)),
    ]);
    return fields;
  }

  #store(view: DataView, { path, field, members, owner, around }: Slot): Violation[] {
    const value = owner[field.name];
    if (value === undefined) return [{ field: path, problem: "is missing" }];
    try {
      const raw = field.values.write(value, around);
      for (const member of members) storeNumbers(view, member, raw.splice(0, member[2]));
      return [];
    } catch (fault) {
      if (fault instanceof Fault) return [{ field: path, problem: fault.message }];
      throw fault;
    }
  }

  /** Return the cards that are in several places. */
  #misplaced(slots: readonly Slot[]): Violation[] {
    const home = new Map<string, string>();
    const wrong: Violation[] = [];
    for (const { path, field, owner } of slots.filter((slot) => slot.field.home)) {
      for (const card of [owner[field.name]].flat().filter(Boolean)) {
        const place = `${field.home} ${card}`;
        const before = home.get(place);
        if (before === undefined) home.set(place, path);
        else if (!this.#data.layout.everywhere.includes(card)) {
          wrong.push({ field: path, problem: `${quoted(card)} is also in ${before}` });
        }
      }
    }
    return wrong;
  }
}

function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function strangers(found: object, known: string[], path: string): Violation[] {
  const names = Object.keys(found).filter((name) => !known.includes(name));
  return names.map((name) => ({ field: `${path}${name.slice(0, 80)}`, problem: "is unknown" }));
}

function reject(violations: readonly Violation[]): void {
  if (violations.length) throw new BadPosition(violations);
}

function numbers(view: DataView, [at, code, count]: Member): Raw[] {
  const size = SIZES[code] ?? 0;
  return Array.from({ length: count }, (_, i) => readNumber(view, at + i * size, code));
}

function readNumber(view: DataView, at: number, code: string): Raw {
  if (code === "Q") return view.getBigUint64(at, true);
  if (code === "I") return view.getUint32(at, true);
  if (code === "H") return view.getUint16(at, true);
  return code === "b" ? view.getInt8(at) : view.getUint8(at);
}

/** Add numbers to a member, which several fields may share bit by bit. */
function storeNumbers(view: DataView, [at, code]: Member, values: readonly Raw[]): void {
  values.forEach((value, i) => {
    const place = at + i * (SIZES[code] ?? 0);
    if (code === "Q") view.setBigUint64(place, view.getBigUint64(place, true) | BigInt(value), true);
    else if (code === "I") view.setUint32(place, view.getUint32(place, true) | Number(value), true);
    else if (code === "H") view.setUint16(place, view.getUint16(place, true) | Number(value), true);
    else view.setUint8(place, view.getUint8(place) | Number(value));
  });
}
