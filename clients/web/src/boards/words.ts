// Words that both boards share.

import { say } from "../language/texts.ts";

/** Some words, one after the other. */
export const listed = (words: readonly (string | false)[]): string => words.filter(Boolean).join(say("between"));

/** The ends of long words on boards, before which they may be divided. */
const ENDS = /(?<=\p{L}{3})(?=(?:dores|gießer|kommen|macher|mann|mento?|mischer|schreiner|trice|wechsel)(?!\p{L}))/gu;

/** Words with hyphenation points in the longest, for browsers without a dictionary of their language. */
export const divisible = (name: string): string => name.replace(ENDS, "\u00ad");

/** An effect that the page does not know: its kind and amounts, as the catalogue has them. */
export function plainly({ kind, ...amounts }: Readonly<Record<string, unknown>>): string {
  const more = Object.entries(amounts).map(([name, value]) => `${name} ${String(value)}`);
  return [String(kind).replaceAll("_", " "), ...more].join(", ");
}
