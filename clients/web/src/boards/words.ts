// Words that both boards share.

import { say } from "../texts.ts";

/** Some words, one after the other. */
export const listed = (words: readonly string[]): string => words.filter(Boolean).join(say("between"));

/** An effect that the page does not know: its kind and amounts, as the catalogue has them. */
export function plainly({ kind, ...amounts }: Readonly<Record<string, unknown>>): string {
  const more = Object.entries(amounts).map(([name, value]) => `${name} ${String(value)}`);
  return [String(kind).replaceAll("_", " "), ...more].join(", ");
}
