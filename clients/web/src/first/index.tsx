// Help in the first games: each kind of decision is explained when it first comes, and before a costly move is asked. It is
// loaded when it is wanted.

import { signal } from "@preact/signals";
import type { Question } from "../game/hints.ts";
import { useLater } from "../service/loading.ts";
import { asked, explains } from "./wishes.ts";

export interface Helped {
  /** The game's kind, and the step of the current decision; empty without one. */
  game: string;
  step: string;
  /** What may be searched before a move is asked about; undefined where hints are barred. */
  question: Question | undefined;
  onPlay(actions: readonly string[]): void;
}

/** Whether a move is asked about instead of being played. */
export const objects = signal<(actions: readonly string[]) => boolean>(() => false);

async function loaded() {
  const module = await import("./help.tsx");
  await module.load();
  return module;
}

export function FirstGames(props: Helped) {
  const View = useLater(loaded, explains.value || asked.value !== "off");
  return View ? <View {...props} /> : null;
}
