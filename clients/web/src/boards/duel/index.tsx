// The board of Builders Duel.

import { boardOf } from "../spots.tsx";
import { Camps } from "./camps.tsx";
import { Course } from "./contest.tsx";
import { Grid } from "./grid.tsx";
import { places } from "./places.ts";

export default boardOf("duel", "duel-board", places, [Grid, Course, Camps]);
