// The language of the page's reader: the one chosen here, else the browser's.

import { effect } from "@preact/signals";
import { browser } from "../browser/storage.ts";
import { firstKnown, type Language, language, say, speak } from "./texts.ts";

const CHOSEN = "language"; // in the storage of the browser

const understood = () => firstKnown([browser.get(CHOSEN) ?? "", ...navigator.languages]);

/** The language that the page begins with. */
export const preferred = (): Language => understood() ?? "en";

/** Speak the language that the page begins with, and from now on name the one that is spoken in the document. */
export async function begin(): Promise<void> {
  await speak(preferred());
  effect(() => {
    const translate = !understood(); // by the browser: only for those whose language is not among ours
    Object.assign(document.documentElement, { lang: language.value, dir: say("direction"), translate });
  });
}

/** Speak a language from now on. */
export function choose(language: Language): Promise<void> {
  browser.set(CHOSEN, language);
  return speak(language);
}
