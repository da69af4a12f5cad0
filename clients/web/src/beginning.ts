// Where the next new game begins: in a record, or a position, that was looked at in a study.

import { signal } from "@preact/signals";
import type { AnyPosition } from "./gen/clerestory/v1/rules_pb.ts";

export interface Beginning {
  game: string;
  seats: number;
  opening: AnyPosition;
  /** What was done and came up since. */
  actions: string[];
}

/** Undefined for one that is dealt anew. */
export const beginning = signal<Beginning | undefined>(undefined);
