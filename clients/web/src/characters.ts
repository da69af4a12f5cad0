// The opponents: who plays at which level, as the service says it in the page's language.

import { effect, signal } from "@preact/signals";
import { rules } from "./api.ts";
import type { Character } from "./gen/clerestory/v1/rules_pb.ts";
import { insist, mayPass } from "./insist.ts";
import { language } from "./texts.ts";

/** The weakest first; empty until they have come. */
export const characters = signal<readonly Character[]>([]);

/** Ask for them, and again in each language that is chosen; without them, levels have numbers only. */
export function meet(): () => void {
  return effect(() => {
    void language.value;
    let wanted = true;
    insist(() => rules.listCharacters({}), { wanted: () => wanted, passes: mayPass }).then(
      (answer) => {
        if (wanted) characters.value = answer.characters;
      },
      () => {},
    );
    return () => {
      wanted = false;
    };
  });
}
