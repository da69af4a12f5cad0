// Earlier positions of a kept game: one that is looked at, or one after the other as a replay.

import { signal } from "@preact/signals";
import type { Standing } from "../boards/purse.tsx";
import { games, wordsOf } from "../service/api.ts";
import { insist } from "../service/insist.ts";
import type { Kept } from "./kept.ts";
import { viewIn } from "./states.ts";

const PAUSE = 900; // milliseconds on each position of a replay

export interface Earlier {
  game: string;
  /** The displayed ply. */
  ply: number;
  /** The version of the entry that led to it, which identifies it; undefined at the beginning. */
  version: number | undefined;
  /** The standing of all seats in it; the previous one until it has arrived. */
  shown: Standing;
  /** How all stood one ply before, if it was shown. */
  was?: Standing | undefined;
}

export const earlier = signal<Earlier | undefined>(undefined);

let replaying: ReturnType<typeof setTimeout> | undefined;

/** The past position of a game in view, unless it has been taken back. */
export function pastOf(kept: Kept): Earlier | undefined {
  const { value: past } = earlier;
  const there = past?.game === kept.id && past.ply < kept.log.value.length;
  return there && kept.entryAt(past.ply) === past.version ? past : undefined;
}

/** Show the present again. */
export function toPresent(): void {
  clearTimeout(replaying);
  earlier.value = undefined;
}

/** Show the position of an earlier ply in a seat's view; the latest request counts, in whatever order answers arrive. */
export async function lookBack(kept: Kept, ply: number, shown: Standing, seat: number | undefined): Promise<void> {
  clearTimeout(replaying);
  await look(kept, ply, shown, seat);
}

async function look(kept: Kept, ply: number, shown: Standing, seat: number | undefined): Promise<void> {
  const last = earlier.value;
  const was = last && last.ply === ply - 1 ? shown : undefined;
  const wanted = { game: kept.id, ply, version: kept.entryAt(ply), shown, was };
  earlier.value = wanted;
  try {
    const asked = { gameId: kept.id, tokens: kept.tokens, ply };
    const { views } = await insist(() => games.getGame(asked), { wanted: () => earlier.value === wanted });
    const found = viewIn(views, seat);
    if (!found?.position || earlier.value !== wanted) return;
    earlier.value = { ...wanted, shown: found };
    kept.refused.value = "";
  } catch (error) {
    if (earlier.value !== wanted) return;
    earlier.value = undefined;
    kept.refused.value = wordsOf(error);
  }
}

/** Show the plies from one on, one after the other, and then the present. */
export async function replay(kept: Kept, from: number, shown: Standing, seat: number | undefined): Promise<void> {
  clearTimeout(replaying);
  if (from >= kept.log.value.length) return toPresent();
  await look(kept, from, shown, seat);
  const there = earlier.value;
  if (there?.ply !== from) return undefined; // the user went elsewhere
  replaying = setTimeout(() => void replay(kept, from + 1, there.shown, seat), PAUSE);
  return undefined;
}
