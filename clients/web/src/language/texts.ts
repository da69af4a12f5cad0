// The texts of the page by key, in the language that is spoken: out of common/i18n/, in one file for each language, which is
// loaded when it is wanted. A pattern has `{name}` for arguments, or is a form for each
// plural category of the argument `count`. Keys and arguments are checked by the types in gen/texts.ts.

import { computed, signal } from "@preact/signals";
import { type ComponentChildren, h } from "preact";
import { type Arguments, FILES } from "../gen/texts.ts";

export type Key = keyof Arguments;
export type Language = keyof typeof FILES;
type Pattern = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
type Patterns = Readonly<Record<string, Pattern>>;
/** The arguments of a text; each may also be a `Value` if the result is not a string. */
type Given<K extends Key, Value = never> = keyof Arguments[K] extends never
  ? []
  : [{ [Name in keyof Arguments[K]]: Arguments[K][Name] | Value }];

const ENGLISH = "en";
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/;
const ISOLATE = /^[\u2066-\u2068]/; // a beginning

/** The languages there are. */
export const LANGUAGES = Object.keys(FILES) as Language[];

const FORMER: Readonly<Record<string, string>> = { iw: "he" }; // codes of ISO 639 that were replaced

const spoken = signal<{ language: Language; patterns: Patterns }>({ language: ENGLISH, patterns: {} });

/** The language of the page. */
export const language = computed(() => spoken.value.language);

const plurals = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value));

/** The first of some BCP 47 tags whose language there is; undefined for none. */
export function firstKnown(tags: readonly string[]): Language | undefined {
  const primary = tags.map((tag) => tag.replace(/-.*/, "").toLowerCase()).map((tag) => FORMER[tag] ?? tag);
  return primary.find((one): one is Language => one in FILES);
}

type Files = Readonly<Record<Language, () => Promise<{ default: object }>>>;

let wanted: Language | undefined; // the last that was asked for, which may still be loading
const further = new Set<Files>(); // of screens that are not always wanted

let speaking = Promise.resolve();

/** Load a language, and speak it. */
export function speak(language: Language): Promise<void> {
  wanted = language;
  speaking = load(language);
  return speaking;
}

async function load(language: Language): Promise<void> {
  const files = await Promise.all([FILES, ...further].map((file) => file[language]()));
  if (wanted !== language) return;
  spoken.value = { language, patterns: Object.assign({}, ...files.map((file) => file.default)) as Patterns };
}

/** Load further texts, and with them those of every language that is spoken from now on. */
export async function learn(files: Files): Promise<void> {
  if (further.has(files)) return speaking;
  further.add(files);
  try {
    await speak(wanted ?? language.value);
  } catch (error) {
    further.delete(files); // so that they are asked for again
    throw error;
  }
}

/** Whether it is written from right to left. */
export const isTurned = computed(() => spoken.value.patterns.direction === "rtl");

/** The keys that point back and on in time. */
export const BACK = computed(() => (isTurned.value ? "ArrowRight" : "ArrowLeft"));
export const ON = computed(() => (isTurned.value ? "ArrowLeft" : "ArrowRight"));

/** Whether there is a text. */
export const knows = (key: string): key is Key => key in spoken.value.patterns;

/** The pattern of a text, split at its arguments: words and names in turns. */
function parts(key: string, values: Readonly<Record<string, unknown>>): string[] {
  const pattern = spoken.value.patterns[key] ?? key;
  const form = typeof pattern === "string" ? pattern : pattern[plurals.value.select(Number(values.count))];
  return (form ?? (pattern as { other: string }).other).split(/\{(\w+)\}/);
}

/** A number as people write it. */
export const number = (value: number): string => numbers.value.format(value);

/** Words that keep their own direction in any text, as names and numbers must. */
export function apart(words: string): string {
  if (!words || !(isTurned.value || RIGHT_TO_LEFT.test(words))) return words;
  const made = isTurned.value && ISOLATE.test(words); // of texts, whose letters do not count for the direction of the whole
  return `${made ? "\u2067" : "\u2068"}${words}\u2069`;
}

/** A text with its arguments. */
export function say<K extends Key>(key: K, ...given: Given<K>): string {
  return fill(key, given[0] ?? {}, written);
}

/** A text by a key that is made of what the service says; its arguments are taken from more values. */
export function sayAny(key: Key, values: Readonly<Record<string, unknown>> = {}): string {
  return fill(key, values, written);
}

const written = (value: unknown): string => apart(typeof value === "number" ? number(value) : String(value));

/** A text whose arguments may be parts of the page. */
export function rich<K extends Key>(key: K, ...given: Given<K, ComponentChildren>): ComponentChildren[] {
  const told = (value: ComponentChildren) => h("bdi", null, typeof value === "number" ? number(value) : value);
  return split(key, given[0] ?? {}, told);
}

/** The patterns of all games by a key of their files. */
export const patternsOf = (key: string): string[] =>
  Object.entries(spoken.value.patterns).flatMap(([name, text]) =>
    name.endsWith(`.${key}`) && typeof text === "string" ? [text] : [],
  );

/** A text of a game's own file, or a word for what is in it; the last word of its key if there is none. */
export function gameText(game: string, key: string, values: object = {}): string {
  const name = `${game}.${key}`;
  if (knows(name)) return fill(name, values, written);
  return key.slice(key.lastIndexOf(".") + 1).replaceAll(/[_-]/g, " ");
}

const fill = (key: string, values: object, told: (value: unknown) => string): string =>
  split(key, values, told).join("");

function split<T>(key: string, values: object, told: (value: T) => ComponentChildren): ComponentChildren[] {
  const given = values as Readonly<Record<string, T>>;
  return parts(key, given as Readonly<Record<string, unknown>>).map((part, index) =>
    index % 2 ? told(given[part] as T) : part,
  );
}

/** A text that begins with a capital letter, as headings do. */
export const capital = (words: string): string => words.charAt(0).toLocaleUpperCase(language.value) + words.slice(1);
