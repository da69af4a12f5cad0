// The texts of the page by key, out of texts/LANGUAGE/page.json: patterns with `{name}` for arguments, or a form for each
// plural category of the argument `count`. Their keys and arguments are checked by the types in gen/texts.ts.

import type { ComponentChildren } from "preact";
import english from "../../../texts/en/page.json";
import type { Arguments } from "./gen/texts.ts";

export type Key = keyof Arguments;
type Pattern = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
/** The arguments of a text; with `Value` where it is not a string that is made of it. */
type Given<K extends Key, Value = never> = keyof Arguments[K] extends never
  ? []
  : [{ [Name in keyof Arguments[K]]: Arguments[K][Name] | Value }];

const LOCALE = "en";
const patterns: Readonly<Record<string, Pattern>> = english;
const plurals = new Intl.PluralRules(LOCALE);
const numbers = new Intl.NumberFormat(LOCALE);

/** Whether there is a text. */
export const knows = (key: string): key is Key => key in patterns;

/** The pattern of a text, split at its arguments: words and names in turns. */
function parts(key: Key, values: Readonly<Record<string, unknown>>): string[] {
  const pattern = patterns[key] ?? key;
  const form = typeof pattern === "string" ? pattern : pattern[plurals.select(Number(values.count))];
  return (form ?? (pattern as { other: string }).other).split(/\{(\w+)\}/);
}

const told = (value: ComponentChildren) => (typeof value === "number" ? numbers.format(value) : value);

/** A text with its arguments. */
export function say<K extends Key>(key: K, ...given: Given<K>): string {
  return fill(key, given[0] ?? {}).join("");
}

/** A text whose arguments may be parts of the page. */
export function rich<K extends Key>(key: K, ...given: Given<K, ComponentChildren>): ComponentChildren[] {
  return fill(key, given[0] ?? {});
}

function fill(key: Key, values: object): ComponentChildren[] {
  const given = values as Readonly<Record<string, ComponentChildren>>;
  return parts(key, given).map((part, index) => (index % 2 ? told(given[part]) : part));
}
