// The beginning of the next new game: a record or a position that was open in a study.

import { signal } from "@preact/signals";
import type { AnyPosition } from "../gen/clerestory/v1/rules_pb.ts";

export interface Beginning {
  game: string;
  seats: number;
  opening: AnyPosition;
  /** The actions and chance outcomes since. */
  actions: string[];
}

/** Undefined for a new deal. */
export const beginning = signal<Beginning | undefined>(undefined);
