// Whether the reader prefers boards in words to drawings.

import { signal } from "@preact/signals";
import { browser } from "../browser/storage.ts";

export const inWords = signal(browser.get("board") === "words");

export function toggleWords(): void {
  inWords.value = !inWords.value;
  browser.set("board", inWords.value ? "words" : "drawing");
}
