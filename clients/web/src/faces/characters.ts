// The opponents: who plays at which level, as the service says it in the page's language.

import { effect, signal } from "@preact/signals";
import type { Character } from "../gen/clerestory/v1/rules_pb.ts";
import { language } from "../language/texts.ts";
import { rules } from "../service/api.ts";
import { insist, mayPass } from "../service/insist.ts";

const PATIENCE = 2000; // milliseconds

/** The weakest first; empty until they have come. */
export const characters = signal<readonly Character[]>([]);

/** Wait until they have come, but not for long. */
export async function introduced(): Promise<void> {
  let leave = () => {};
  await new Promise<void>((go) => {
    leave = characters.subscribe((known) => known.length && go());
    setTimeout(go, PATIENCE);
  });
  leave();
}

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
