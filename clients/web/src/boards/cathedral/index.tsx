// The board of The Pillars of the Earth.

import { boardOf } from "../spots.tsx";
import { places } from "./places.ts";
import { Seats } from "./seats.tsx";
import { Draft, Track } from "./supply.tsx";
import { Town } from "./town.tsx";

export default boardOf("cathedral", "kingsbridge-board", places, [Draft, Track, Town, Seats]);
