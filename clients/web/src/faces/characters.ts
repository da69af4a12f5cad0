// The opponents: who plays at which level, as the service says it in the page's language, and bots to choose from.

import { effect, signal } from "@preact/signals";
import type { Character } from "../gen/clerestory/v1/rules_pb.ts";
import { levelName } from "../language/text.ts";
import { language, say } from "../language/texts.ts";
import { rules } from "../service/api.ts";
import { insist, mayPass } from "../service/insist.ts";

const PATIENCE = 2000; // milliseconds

/** The weakest first; empty until they have come. */
export const characters = signal<readonly Character[]>([]);

/** The service has no opponents with names. */
const none = signal(false);

/** Wait until they have come, but not for long. */
export async function introduced(): Promise<void> {
  let leave = () => {};
  await new Promise<void>((go) => {
    leave = effect(() => {
      if (characters.value.length || none.value) go();
    });
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
      () => {
        none.value = true;
      },
    );
    return () => {
      wanted = false;
    };
  });
}

/** The bots as values of a choice: `bot` (full strength), and `bot8` to `bot1`. */
export const BOTS = ["bot", ...[8, 7, 6, 5, 4, 3, 2, 1].map((level) => `bot${level}`)];

const levelOf = (bot: string): number | undefined => Number(bot.slice(3)) || undefined;

/** A bot in words: the name and the level of a character. */
export function opponent(level: number | undefined): string {
  const name = characters.value.find((one) => one.level === level)?.name;
  return name ? say("new.opponent", { name, level: levelName(level) }) : say("new.bot", { level: levelName(level) });
}

export const botName = (bot: string): string => opponent(levelOf(bot));

/** The fields of a bot in a seat plan. */
export function botPlan(bot: string): { level?: number; character: string } {
  const level = levelOf(bot);
  const character = characters.value.find((one) => one.level === level)?.character ?? "";
  return { character, ...(level ? { level } : {}) };
}
