// Where in the page one is: all behind `#`, so that tokens in links never reach a server's log.

import { signal } from "@preact/signals";

/** The words of the address behind `#/`. */
export const route = signal<string[]>(read());

function read(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
}

addEventListener("hashchange", () => {
  route.value = read();
});

/** The kept game that a place is about; empty for none. */
export function gameOf([screen, ...more]: string[]): string {
  const [kind, id] = screen === "study" ? more : [screen, ...more];
  return kind === "game" ? (id ?? "") : "";
}

/** The address of a place in the page. */
export function link(...words: (string | number)[]): string {
  return `#/${words.map((word) => encodeURIComponent(word)).join("/")}`;
}

/** The same as a whole address, to be sent to somebody. */
export function address(...words: (string | number)[]): string {
  return `${location.origin}${location.pathname}${link(...words)}`;
}

/** Go there; `instead` leaves no trace of where one was. */
export function go(words: (string | number)[], instead = false): void {
  if (instead) location.replace(link(...words));
  else location.hash = link(...words);
}
