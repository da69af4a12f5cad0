// Texts of the games' own files, by a key that the service names.

import cathedral from "../../../texts/en/cathedral.json";
import duel from "../../../texts/en/duel.json";

const FILES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { cathedral, duel };

/** A text without arguments; the last word of the key if there is none. */
export function gameText(game: string, key: string): string {
  const found = FILES[game]?.[key];
  return typeof found === "string" ? found : key.slice(key.lastIndexOf(".") + 1).replaceAll("_", " ");
}
