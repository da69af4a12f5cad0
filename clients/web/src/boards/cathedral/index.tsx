// The board of The Pillars of the Earth.

import { boardOf } from "../spots.tsx";
import type { ItemProps } from "../types.ts";
import { Conversion } from "./cards.tsx";
import { places } from "./places.ts";
import { Seats } from "./seats.tsx";
import { Draft, Track } from "./supply.tsx";
import { Town } from "./town.tsx";
import { tradeOf } from "./words.ts";

export default boardOf("cathedral", "kingsbridge-board", places, [Draft, Track, Town, Seats]);

/** What a craftsman makes out of what. */
export function Item({ id, catalogue }: ItemProps) {
  const trade = tradeOf(catalogue, id);
  return trade ? <Conversion trade={trade} catalogue={catalogue} /> : null;
}
