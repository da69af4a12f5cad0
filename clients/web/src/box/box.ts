// The cards of Builders Duel as their owner reads them: the input, its faults, and the catalogue file that
// it makes. All of it stays in this browser.

import { computed, signal } from "@preact/signals";
import { catalogueOf } from "../boards/catalogue.ts";
import { KINDS } from "../boards/duel/chips.tsx";
import { browser, store, stored } from "../browser/storage.ts";
import type { CatalogueEntry } from "../gen/clerestory/v1/rules_pb.ts";
import { language } from "../language/texts.ts";
import { rules } from "../service/api.ts";

export const GAME = "duel";
const KEPT = "box:duel"; // in the browser's storage
const OWN = "stated BOX"; // the source of what an owner has typed
const SAID = "the printed cards, as their owner typed them";
const DECK = 27; // cards in each
const MOST = { gold: 30, few: 11 };
const CHIPS: Readonly<Record<string, number>> = { beam: 2, mortar: 2, brick: 2, cloth: 4, bell: 1 };
const GOLD = ["gold", "price", "wool", "placing", "bonus_gold"]; // amounts of gold; all others are few
const SECTIONS = ["I", "II", "III"];

export type Value = number | string | readonly (number | string)[];
/** Where a value is: `aliena/effect.price`, `castle/II.1`. */
export type Path = string;

export interface Entry {
  id: string;
  section: string;
  name: string;
  /** By path in the entry: `a`, `effect.gold`, `placing.0`. */
  fields: ReadonlyMap<string, Value>;
  /** By the name of a value, as the file has them. */
  sources: ReadonlyMap<string, string>;
  values: Readonly<Record<string, unknown>>;
}

/** A fault of a value: the key of its text, and its arguments. */
export type Mistake =
  | { key: "box.range"; least: number; most: number }
  | { key: "box.twice" | "box.none" | "box.once" };

export class Box {
  readonly entries = signal<readonly Entry[]>([]);
  /** The input by path; only values that differ from the cards in use. */
  readonly typed = signal<Readonly<Record<Path, Value>>>(stored(KEPT, {}));
  /** The owner has compared every card: unchanged values are confirmed as printed. */
  readonly compared = signal(false);
  readonly #told = signal<readonly CatalogueEntry[]>([]);

  readonly mistakes = computed(() => this.#mistakes());
  readonly right = computed(() => this.mistakes.value.size === 0 && this.counts.value.every((one) => one === DECK));
  /** Cards in the decks A and B. */
  readonly counts = computed(() =>
    ["a", "b"].map((deck) => this.cards.value.reduce((sum, one) => sum + Number(this.value(one, deck)), 0)),
  );
  /** The cards, those with the most reconstructed values first. */
  readonly cards = computed(() => this.entries.value.filter((one) => one.section === "cards"));
  readonly buildings = computed(() => this.entries.value.filter((one) => one.section === "buildings"));
  /** The cards as they are typed, for drawing them. */
  readonly drawn = computed(() => catalogueOf(this.#told.value.map((one) => this.#changed(one))));

  async load(): Promise<void> {
    const { entries } = await rules.describeCatalogue({ game: GAME });
    this.#told.value = entries;
    this.entries.value = entries.map(entryOf);
  }

  value(entry: Entry, field: string): Value {
    return this.typed.value[`${entry.id}/${field}`] ?? entry.fields.get(field) ?? "";
  }

  type(entry: Entry, field: string, value: Value): void {
    const { [`${entry.id}/${field}`]: _, ...others } = this.typed.value;
    const same = value === "" ? field === "name" : JSON.stringify(value) === JSON.stringify(entry.fields.get(field));
    this.typed.value = same ? others : { ...others, [`${entry.id}/${field}`]: value };
    store(KEPT, this.typed.value);
  }

  /** Forget what was typed. */
  clear(): void {
    this.typed.value = {};
    browser.remove(KEPT);
  }

  #mistakes(): ReadonlyMap<Path, Mistake> {
    const found = new Map<Path, Mistake>();
    for (const entry of this.entries.value)
      for (const field of entry.fields.keys()) {
        const wrong = this.#wrong(entry, field);
        if (wrong) found.set(`${entry.id}/${field}`, wrong);
      }
    for (const entry of this.buildings.value) this.#needs(entry, found);
    return found;
  }

  #wrong(entry: Entry, field: string): Mistake | undefined {
    const value = this.value(entry, field);
    if (field === "effect.kinds") return Array.isArray(value) && value.length ? undefined : { key: "box.none" };
    if (typeof entry.fields.get(field) !== "number") return undefined;
    const [least, most] =
      field === "a" || field === "b" ? [0, DECK] : [1, GOLD.some((one) => field.includes(one)) ? MOST.gold : MOST.few];
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
      return { key: "box.range", least, most };
    const copies = Number(this.value(entry, "a")) + Number(this.value(entry, "b"));
    return field === "a" && entry.values.frame === "once" && copies > 1 ? { key: "box.once" } : undefined;
  }

  /** A building needs no more of a material than there are chips. */
  #needs(entry: Entry, found: Map<Path, Mistake>): void {
    const seen: Record<string, number> = {};
    for (const [field, shipped] of entry.fields) {
      const material = String(this.value(entry, field));
      if (typeof shipped !== "string") continue;
      seen[material] = (seen[material] ?? 0) + 1;
      if ((seen[material] ?? 0) > (CHIPS[material] ?? 0)) found.set(`${entry.id}/${field}`, { key: "box.twice" });
    }
  }

  /** An entry of the catalogue with what was typed. */
  #changed(entry: CatalogueEntry): CatalogueEntry {
    const own = this.entries.value.find((one) => one.id === entry.id && one.section === entry.section);
    if (!own) return entry;
    const now = this.#now(own);
    const name = String(this.value(own, "name") || entry.name);
    if (name !== entry.name) now[`name_${language.value}`] = name;
    const values = entry.values.map((one) => ({ ...one, json: JSON.stringify(now[one.name] ?? JSON.parse(one.json)) }));
    return { ...entry, name, values } as CatalogueEntry;
  }

  /** The values of an entry with what was typed. */
  #now(entry: Entry): Record<string, unknown> {
    const values = structuredClone(entry.values) as Record<string, unknown>;
    for (const field of entry.fields.keys()) {
      const [name = "", part] = field.split(".");
      if (part === undefined) values[name] = this.value(entry, field);
      else (values[name] as Record<string, unknown>)[part] = this.value(entry, field);
    }
    return values;
  }

  /** Whether something of a value was typed. */
  #isOwn(entry: Entry, name: string): boolean {
    const covered = name === "copies" ? ["a", "b"] : [name];
    return covered.some((one) => Object.keys(this.typed.value).some((path) => belongs(path, entry.id, one)));
  }

  /** The catalogue file. */
  get file(): string {
    const cards = this.cards.value.filter((one) => Number(this.value(one, "a")) + Number(this.value(one, "b")) > 0);
    const heading = `# The cards of a printed box of Builders Duel: for \`clerestory --catalogue FILE serve\`.`;
    const tables = this.buildings.value.map((one) =>
      [`[${one.id}]`, ...this.#lines(one, Object.keys(one.values)), ""].join("\n"),
    );
    const written = cards.map((one) => {
      const name = [`id = ${toml(one.id)}`, ...this.#names(one)];
      return ["[[cards]]", ...name, ...this.#lines(one, ["frame", "a", "b", "effect"]), ""].join("\n");
    });
    const sources = ["[sources]", `BOX = ${toml(SAID)}`, ""].join("\n");
    return [heading, "", `version = 1\ngame = "${GAME}"`, "", ...written, ...tables, sources].join("\n");
  }

  #names(entry: Entry): string[] {
    const name = this.typed.value[`${entry.id}/name`];
    const own = this.#own(entry, "name", name !== undefined);
    if (name === undefined || language.value === "en")
      return [`name = ${toml(name ?? entry.name)}`, `sources.name = ${toml(own)}`];
    const names = `names = { ${language.value} = ${toml(name)} }`;
    return [
      `name = ${toml(entry.name)}`,
      names,
      `sources.name = ${toml(this.#own(entry, "name", false))}`,
      `sources.names = ${toml(OWN)}`,
    ];
  }

  #lines(entry: Entry, names: readonly string[]): string[] {
    const now = this.#now(entry);
    const values = names.filter((name) => name in now).map((name) => `${name} = ${toml(now[name])}`);
    const sourced = [...new Set(names.map((name) => (name === "a" || name === "b" ? "copies" : name)))];
    return [
      ...values,
      ...sourced.map((name) => `sources.${name} = ${toml(this.#own(entry, name, this.#isOwn(entry, name)))}`),
    ];
  }

  #own(entry: Entry, name: string, typed: boolean): string {
    return typed || this.compared.value ? OWN : (entry.sources.get(name === "copies" ? "a" : name) ?? "reconstructed");
  }

  /** What differs, for the people of this project: in their words, whatever the language of the page. */
  get told(): string {
    const lines = this.entries.value.flatMap((entry) =>
      [...entry.fields.keys(), "name"].flatMap((field) => {
        const typed = this.typed.value[`${entry.id}/${field}`];
        return typed === undefined
          ? []
          : [`${entry.id}  ${field}: ${String(entry.fields.get(field) ?? entry.name)} -> ${String(typed)}`];
      }),
    );
    const compared = this.compared.value ? "Every card was compared." : "Not every card was compared.";
    return [`Builders Duel, ${language.value}. ${compared}`, ...(lines.length ? lines : ["Nothing differs."])].join(
      "\n",
    );
  }
}

const belongs = (path: Path, id: string, name: string) => path === `${id}/${name}` || path.startsWith(`${id}/${name}.`);

/** A value as TOML writes it. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, part]) => `${name} = ${toml(part)}`)
      .join(", ")} }`;
  return JSON.stringify(value);
}

function entryOf(entry: CatalogueEntry): Entry {
  const values = Object.fromEntries(
    entry.values
      .filter((one) => !one.name.startsWith("name"))
      .map((one) => [one.name, JSON.parse(one.json) as unknown]),
  );
  const sources = new Map(entry.values.map((one) => [one.name, one.source]));
  return { id: entry.id, section: entry.section, name: entry.name, fields: fieldsOf(values), sources, values };
}

/** The editable values of an entry: numbers, kinds of chips, materials. */
function fieldsOf(values: Readonly<Record<string, unknown>>): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number") found.set(name, value);
    else if (Array.isArray(value)) for (const [index, one] of value.entries()) found.set(`${name}.${index}`, one);
    else if (typeof value === "object" && value !== null)
      for (const [part, of] of Object.entries(value)) if (part !== "kind") found.set(`${name}.${part}`, of as Value);
  }
  return found;
}

/** The kinds that can be chosen for a value. */
export const kindsFor = (field: string): readonly string[] =>
  KINDS.map(([raw, turned]) => (SECTIONS.includes(field.split(".")[0] ?? "") ? turned : raw));

/** How much of an entry was made up to fill a gap. */
export const guessed = (entry: Entry): number =>
  [...entry.sources].filter(([name, source]) => name !== "name" && source.startsWith("reconstructed")).length;
