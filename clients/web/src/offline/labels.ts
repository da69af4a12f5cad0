// The labels of actions by language, as the build wrote them.

import type { GameName } from "@clerestory/engine";

export type Labels = (text: string) => string;

/** Reads a file of the build by its name: `labels-duel-de.json`. */
export type ReadData = (name: string) => Promise<Uint8Array>;

const LANGUAGES = ["en", "de", "fr", "es", "it", "he"];

/** The labels of a game, each language loaded once. */
export function labelsOf(read: ReadData): (game: GameName, language: string | null) => Promise<Labels> {
  const loaded = new Map<string, Promise<Labels>>();
  return (game, language) => {
    const name = `labels-${game}-${LANGUAGES.includes(language ?? "") ? language : "en"}.json`;
    const known = loaded.get(name) ?? load(read, name);
    loaded.set(name, known);
    known.catch(() => loaded.delete(name));
    return known;
  };
}

async function load(read: ReadData, name: string): Promise<Labels> {
  const labels: Record<string, string> = JSON.parse(new TextDecoder().decode(await read(name)));
  return (text) => labels[text] ?? text;
}
