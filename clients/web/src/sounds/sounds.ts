// Sounds for what happens at the table: off until they are wanted.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { once } from "../browser/once.ts";
import { browser } from "../browser/storage.ts";
import type { AppliedAction } from "../gen/clerestory/v1/rules_pb.ts";

export type Sound = "turn" | "card" | "place" | "gold" | "points" | "loss" | "die" | "end";

const KEY = "sounds";
const synth = once(() => import("./synth.ts"));

/** Whether there are sounds. */
export const sounding = signal(browser.get(KEY) === "on");
if (sounding.value) synth(); // so that the first sound is heard

export function chooseSounds(wanted: boolean): void {
  sounding.value = wanted;
  browser.set(KEY, wanted ? "on" : "off");
  if (wanted) synth();
}

export const hear = (sound: Sound): void => {
  if (sounding.value) synth()?.default(sound);
};

const POINTS = ["vp", "points"];
const GOODS = ["gold", "sand", "wood", "stone", "metal"];
const CAUSED = ["tax", "event"];
const KINDS: Readonly<Record<string, Sound>> = { roll: "die", place: "place", claim: "place", build: "place" };

/** The sound of an action: of what it brought, else of what was done. */
export function soundOf({ action, changes }: AppliedAction): Sound {
  const kind = KINDS[action?.text.split(" ")[0] ?? ""];
  if (kind === "die") return kind;
  if (changes.some(({ thing, amount }) => POINTS.includes(thing) && amount > 0)) return "points";
  if (changes.some(({ thing, amount, cause }) => GOODS.includes(thing) && amount < 0 && CAUSED.includes(cause)))
    return "loss";
  if (kind) return kind;
  return changes.some(({ thing, amount }) => thing === "gold" && amount > 0) ? "gold" : "card";
}

interface Heard {
  applied: readonly (AppliedAction | undefined)[];
  mine: boolean;
  over: boolean;
}

/** Let what happens be heard: the newest action, the end, and that it is one's turn. */
export function useSounds({ applied, mine, over }: Heard): void {
  const before = useRef({ count: applied.length, mine, over });
  useEffect(() => {
    const { count, mine: was, over: ended } = before.current;
    before.current = { count: applied.length, mine, over };
    const last = applied.at(-1);
    if (over && !ended) hear("end");
    else if (mine && !was) hear("turn");
    else if (applied.length > count && last) hear(soundOf(last));
  }, [applied.length, mine, over]);
}
