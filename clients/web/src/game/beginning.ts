// The beginning of the next new game: its game and number of players, or a record or position from elsewhere.

import { signal } from "@preact/signals";
import type { AnyPosition } from "../gen/clerestory/v1/rules_pb.ts";

/** The possible numbers of players of each game. */
export const PLAYERS: Record<string, number[]> = { cathedral: [2, 3, 4], duel: [2] };

export interface Beginning {
  game: string;
  seats: number;
  opening: AnyPosition;
  /** The actions and chance outcomes since. */
  actions: string[];
}

/** Undefined for a new deal. */
export const beginning = signal<Beginning | undefined>(undefined);
