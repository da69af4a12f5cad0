// Keeps the costliest errors of a seat, to be practised as puzzles.

import { toJson } from "@bufbuild/protobuf";
import { PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import { addMistakes, isKnown, type Mistake } from "../path/mistakes.ts";
import type { Study } from "../study/study.ts";
import { type Fault, UNIT } from "./review.ts";

/** How many errors of a seat count as its costliest. */
export const WORST = 5;

/** Keep the costliest errors of a seat in a kept game, except those that are known. */
export async function keepMistakes(study: Study, game: string, seat: number, errors: readonly Fault[]): Promise<void> {
  const own = errors.filter(({ at }) => at.seat === seat).slice(0, WORST);
  const fresh = own.filter(({ ply }) => !isKnown(game, nameOf(study, ply, seat)));
  const found = await Promise.all(fresh.map((error) => mistakeOf(study, seat, error)));
  addMistakes(game, found.flat());
}

const nameOf = (study: Study, ply: number, seat: number) => `${study.name}.${ply}.${seat}`;

/** An error as a mistake to practise; none where its position or the better action is not known. */
async function mistakeOf(study: Study, seat: number, { ply, at, loss }: Fault): Promise<Mistake[]> {
  const position = await study.before(ply, seat);
  if (!position || !at.action || !at.best) return [];
  const texts = { played: at.action.text, best: at.best.text };
  return [
    { id: nameOf(study, ply, seat), position: toJson(PositionSchema, position), seat, ...texts, loss: loss / UNIT },
  ];
}
