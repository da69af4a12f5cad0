// The help that a player wants, and the explanations already shown in this browser. Without a choice there is help in the first games.

import { computed, signal } from "@preact/signals";
import { store, stored } from "../browser/storage.ts";

/** Before which moves is asked: none, those that give up much, all that give up something. */
export const ASKED = ["off", "large", "all"] as const;
export type Asked = (typeof ASKED)[number];

const FIRST = 3; // games that are a newcomer's
const OVER = "games-over";
const SEEN = "explained";
const WISHES = "first-games";

interface Wishes {
  explain?: boolean;
  ask?: Asked;
}

const over = signal<readonly string[]>(stored(OVER, []));
const seen = signal<readonly string[]>(stored(SEEN, []));
const wishes = signal<Wishes>(stored(WISHES, {}));

/** Whether a game is one of the first at this browser. */
export const isFirst = (game: string): boolean => over.value.filter((one) => one !== game).length < FIRST;

const isNewcomer = computed(() => over.value.length < FIRST);

/** Whether decisions are explained when they first come. */
export const explains = computed(() => wishes.value.explain ?? isNewcomer.value);

export const asked = computed<Asked>(() => wishes.value.ask ?? (isNewcomer.value ? "large" : "off"));

/** A game has ended here. */
export function noteOver(game: string): void {
  if (!isFirst(game) || over.value.includes(game)) return;
  over.value = [...over.value, game];
  store(OVER, over.value);
}

/** Choose some help; turning explanations on again resets them all. */
export function wish(more: Wishes): void {
  wishes.value = { ...wishes.value, ...more };
  store(WISHES, wishes.value);
  if (more.explain) keepSeen([]);
}

export const isExplained = (decision: string): boolean => seen.value.includes(decision);

/** A decision has been explained. */
export function explained(decision: string): void {
  if (!isExplained(decision)) keepSeen([...seen.value, decision]);
}

function keepSeen(decisions: readonly string[]): void {
  seen.value = decisions;
  store(SEEN, decisions);
}
