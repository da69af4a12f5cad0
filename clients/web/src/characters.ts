// The opponents: who plays at which level, as the service says it in the page's language.

import { effect, signal } from "@preact/signals";
import { rules } from "./api.ts";
import type { Character } from "./gen/clerestory/v1/rules_pb.ts";
import { language } from "./texts.ts";

/** The weakest first; empty until they have come. */
export const characters = signal<readonly Character[]>([]);

/** Ask for them, and again in each language that is chosen; without them, levels have numbers only. */
export function meet(): () => void {
  return effect(() => {
    void language.value;
    rules.listCharacters({}).then(
      (answer) => {
        characters.value = answer.characters;
      },
      () => {},
    );
  });
}
