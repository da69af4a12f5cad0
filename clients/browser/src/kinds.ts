// The kinds of values of a position's fields (engine/positions/kinds.py): numbers in the struct, readable in JSON.

import type { KindData } from "./data.ts";
import { quoted } from "./errors.ts";

/** A number of the struct; of 64 bits as a bigint. */
export type Raw = number | bigint;
// biome-ignore lint/suspicious/noExplicitAny: JSON values, which kinds check
export type Json = any;

/** The context of a value: the position's own fields, and its seat. */
export interface Around {
  readonly fields: Record<string, Json>;
  readonly seat: number;
  readonly seats: number;
}

/** The problem with a value. */
export class Fault extends Error {}

export interface Kind {
  read(raw: readonly Raw[], around: Around): Json;
  /** Return the numbers of a JSON value. Throws Fault for an invalid one. */
  write(value: Json, around: Around): Raw[];
}

// biome-ignore lint/suspicious/noExplicitAny: attributes of kinds, which the build writes
type Attributes = any;

/** Return a kind from what the build exports of it. */
export function kindOf(data: KindData): Kind {
  const make = KINDS[data.is];
  if (make === undefined) throw new Error(`${data.is}: no such kind`);
  return make(data);
}

const KINDS: Record<string, (data: Attributes) => Kind> = {
  Number: ({ low, high, first }) => ({
    read: ([raw]) => Number(raw) + first,
    write: (value) => [whole(value, low + first, high + first) - first],
  }),
  Flag: () => ({ read: ([raw]) => !!raw, write: (value) => [+flag(value)] }),
  SeatFlag: () => ({
    read: ([raw], { seat }) => !!bits(raw, seat, 1),
    write: (value, { seat }) => [+flag(value) << seat],
  }),
  Choice: ({ names, low }) => ({
    read: ([raw]) => names[Number(raw) - low],
    write: (value) => [indexOf(names, value) + low],
  }),
  Seat: ({ names, low, others }) => ({
    read: ([raw]) => names[Number(raw) - low],
    write: (value, { seats }) => [indexOf(names.slice(0, others + seats), value) + low],
  }),
  Card: ({ ids }) => ({ read: ([raw]) => ids[Number(raw)], write: (value) => [indexOf(ids, value)] }),
  Each: ({ kind, count }) => each(kindOf(kind), count),
  Set: ({ ids }) => ({
    read: ([raw]) => ids.filter((_: Json, i: number) => bits(raw, i, 1)),
    write: (value) => [packed(distinct(value).map((one) => [indexOf(ids, one), 1]))],
  }),
  Deck: (data) => deck(data, () => 0, true),
  EventDeck: (data) => deck(data, ({ round, event }) => round - +(event === ""), false),
  Order: ({ names, bits: width, most, seated }) => ({
    read: ([raw]) =>
      counted(most, (i) => bits(raw, width * i, width))
        .filter(Boolean)
        .map((one) => names[one - 1]),
    write: (value, { seats }) => {
      const known = seated ? names.slice(0, seats) : names;
      return [packed(list(value, 0, most).map((one, i) => [width * i, indexOf(known, one) + 1]))];
    },
  }),
  Amounts: ({ names, low, high, bits: width }) => ({
    read: (raw) => record(names, (i) => (width ? bits(raw[0], width * i, width) : Number(raw[i]))),
    write: (value) => {
      const found: number[] = keyed(value, names).map((one) => whole(one, low, high));
      return width ? [packed(found.map((one, i) => [width * i, one]))] : found;
    },
  }),
  Uses: ({ ids, most }) => ({
    read: ([one, other]) => {
      const words = BigInt(one ?? 0) | (BigInt(other ?? 0) << 64n);
      const times = ids.map((craftsman: string, i: number) => ({ craftsman, times: bits(words, 4 * i, 4) }));
      return times.filter((use: Json) => use.times);
    },
    write: (value) => {
      const uses = list(value, 0, ids.length).map((use) => keyed(use, ["craftsman", "times"]));
      distinct(uses.map(([card]) => card));
      const word = packed(uses.map(([card, times]) => [4 * indexOf(ids, card), whole(times, 1, most)]));
      return [word & ((1n << 64n) - 1n), word >> 64n];
    },
  }),
  Multiset: ({ names, most }) => ({
    read: ([raw]) => names.flatMap((name: Json, i: number) => Array(bits(raw, 4 * i, 4)).fill(name)),
    write: (value) => {
      const places = list(value, 0, most).map((one) => indexOf(names, one));
      return [packed(names.map((_: Json, i: number) => [4 * i, places.filter((place) => place === i).length]))];
    },
  }),
  Section: ({ needs, shift }) => ({
    read: ([raw], { seat }) => needs[seat].filter((_: Json, i: number) => bits(raw, shift + i, 1)),
    write: (value, { seat }) => {
      const left = list(value, 0, needs[seat].length);
      const placed: [number, number][] = needs[seat].map((need: Json, i: number) => [shift + i, +taken(left, need)]);
      if (left.length) throw new Fault(`${quoted(left[0])} is not needed; needed are ${needs[seat].join(", ")}`);
      return [packed(placed)];
    },
  }),
  OpenUses: ({ ids, most, mostLeft }) => ({
    read: ([cards, left]) => {
      const uses = counted(4, (i) => ({ card: ids[bits(cards, 8 * i, 8)], left: bits(left, 8 * i, 8) }));
      return uses.filter((use) => use.card);
    },
    write: (value) => {
      const uses = list(value, 0, most).map((use) => keyed(use, ["card", "left"]));
      const cards = uses.map(([card], i): [number, number] => [8 * i, indexOf(ids.slice(1), card) + 1]);
      return [packed(cards), packed(uses.map(([, left], i) => [8 * i, whole(left, 0, mostLeft)]))];
    },
  }),
  Undealt: ({ decks }) => ({
    read: ([raw], { fields }) => deckOf(decks, fields).filter((_, i) => bits(raw, i, 1)),
    write: (value, { fields }) => {
      const cards = deckOf(decks, fields);
      const left = list(value, 0, cards.length);
      const dealt = left.length;
      const places = cards.map((card, i) => [card, i] as const).reverse();
      const there = places.map(([card, i]): [number, number] => [i, +taken(left, card)]);
      if (left.length) throw new Fault(`${quoted(left[0])} is not in the deck so often`);
      return [packed(there), cards.length - dealt];
    },
  }),
};

function each(kind: Kind, count: number): Kind {
  return {
    read: (raw, around) => raw.map((one) => kind.read([one], around)),
    write: (value, around) => list(value, count, count).flatMap((one) => kind.write(one, around)),
  };
}

/** Coming cards, top first, at the end of an array; or from a place on that depends on the other fields. */
function deck(
  { ids, places, unique }: Attributes,
  begins: (fields: Record<string, Json>) => number,
  atEnd: boolean,
): Kind {
  return {
    read: (raw) => raw.filter(Boolean).map((one) => ids[Number(one)]),
    write: (value, { fields }) => {
      const cards = unique ? distinct(list(value, 0, places)) : list(value, 0, places);
      const numbers = cards.map((card) => indexOf(ids.slice(1), card) + 1);
      const before = atEnd ? places - cards.length : begins(fields);
      if (before + cards.length > places) throw new Fault(`${cards.length} cards are too many`);
      const after = places - before - cards.length;
      return [...Array(before).fill(0), ...numbers, ...Array(after).fill(0)];
    },
  };
}

/** The deck of the phase, one entry for each copy of a card. */
function deckOf(decks: string[][], { phase }: Record<string, Json>): string[] {
  return decks[(Number(phase) - 1) % 2] ?? [];
}

// -- numbers ---------------------------------------------------------------------------------------------------------

function bits(raw: Raw | undefined, shift: number, width: number): number {
  return Number((BigInt(raw ?? 0) >> BigInt(shift)) & ((1n << BigInt(width)) - 1n));
}

/** Return a word with numbers at places, in bits from its lowest. */
function packed(parts: readonly (readonly [number, number])[]): bigint {
  return parts.reduce((word, [shift, number]) => word | (BigInt(number) << BigInt(shift)), 0n);
}

// -- JSON values -----------------------------------------------------------------------------------------------------

function counted<T>(count: number, one: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => one(i));
}

function record(names: string[], of: (i: number) => Json): Record<string, Json> {
  return Object.fromEntries(names.map((name, i) => [name, of(i)]));
}

function whole(value: Json, low: number, high: number): number {
  if (Number.isInteger(value) && low <= value && value <= high) return value;
  throw new Fault(`${quoted(value)} is not a whole number from ${low} to ${high}`);
}

function flag(value: Json): boolean {
  if (typeof value === "boolean") return value;
  throw new Fault(`${quoted(value)} is neither true nor false`);
}

function indexOf(known: readonly Json[], value: Json): number {
  const found = known.indexOf(value);
  if (found >= 0) return found;
  const some = known.length > 12 ? "" : `; possible: ${known.map(quoted).join(", ")}`;
  throw new Fault(`${quoted(value)} is not one of the ${known.length} known${some}`);
}

function list(value: Json, low: number, high: number): Json[] {
  if (!Array.isArray(value)) throw new Fault(`${quoted(value)} is not a list`);
  if (low <= value.length && value.length <= high) return [...value];
  throw new Fault(`has ${value.length} entries; possible: ${low === high ? low : `${low} to ${high}`}`);
}

function distinct(value: Json): Json[] {
  const found = list(value, 0, Number.POSITIVE_INFINITY);
  const twice = found.find((one, i) => found.indexOf(one) < i);
  if (twice !== undefined) throw new Fault(`${quoted(twice)} is there more than once`);
  return found;
}

/** Return the values of an object that has exactly these keys, in their order. */
function keyed(value: Json, names: string[]): Json[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault(`${quoted(value)} is not an object`);
  }
  for (const name of names) if (!Object.hasOwn(value, name)) throw new Fault(`${name} is missing`);
  const stranger = Object.keys(value).find((name) => !names.includes(name));
  if (stranger !== undefined) throw new Fault(`${quoted(stranger)} is unknown`);
  return names.map((name) => value[name]);
}

/** Remove one entry of a list; return whether there was one. */
function taken(left: Json[], value: Json): boolean {
  const place = left.indexOf(value);
  if (place >= 0) left.splice(place, 1);
  return place >= 0;
}
