// The address within the page: all of it after `#`, so that tokens in links never reach a server's log.

import { signal } from "@preact/signals";

/** The words of the address behind `#/`; undefined if they cannot be read. */
export const route = signal<string[] | undefined>(read());

function read(): string[] | undefined {
  try {
    return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

addEventListener("hashchange", () => {
  route.value = read();
});

/** The kept game of a place; empty if there is none. */
export function gameOf([screen, ...more]: string[] = []): string {
  const [kind, id] = screen === "study" ? more : [screen, ...more];
  return kind === "game" ? (id ?? "") : "";
}

/** The whole number that a word of an address is; 0 for any other word, which names nothing. */
export function numberOf(word = ""): number {
  const number = Number(word);
  return Number.isInteger(number) && number > 0 && number < 2 ** 31 ? number : 0;
}

/** The address of a place in the page. */
export function link(...words: (string | number)[]): string {
  return `#/${words.map((word) => encodeURIComponent(word)).join("/")}`;
}

/** The same as a whole address, for sharing. */
export function address(...words: (string | number)[]): string {
  return `${location.origin}${location.pathname}${link(...words)}`;
}

/** Go to a place; `instead` replaces the entry in the browser's history. */
export function go(words: (string | number)[], instead = false): void {
  if (instead) location.replace(link(...words));
  else location.hash = link(...words);
}
