// Puzzles from one's own mistakes in reviewed games, judged as the review judges another try.

import { fromJson } from "@bufbuild/protobuf";
import { CallError } from "@clerestory/client";
import { PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import { text } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { dropMistake, type Mistake, mistakesOf, practised } from "../path/mistakes.ts";
import { judge, reasonsFor } from "../review/review.ts";
import { mayPass } from "../service/insist.ts";
import { type Labels, type Puzzle, posed, type Task, type Tried, type Verdict } from "./puzzle.ts";

/** A mistake as a puzzle; nothing if it is not in the queue. One that is not valid for the cards in use leaves it. */
export async function posedMine(game: string, id: string): Promise<Puzzle | undefined> {
  const mistake = mistakesOf(game).find((one) => one.id === id);
  try {
    return mistake && (await posed(taskOf(game, mistake)));
  } catch (error) {
    if (!(error instanceof CallError && mayPass(error))) dropMistake(game, id);
    throw error;
  }
}

function taskOf(game: string, mistake: Mistake): Task {
  const position = fromJson(PositionSchema, mistake.position);
  const { seat, played } = mistake;
  let judged = false; // only the first try counts
  return {
    game,
    name: `mine/${mistake.id}`,
    position,
    seat,
    title: (who) => say("puzzle.mine.turn", { who }),
    question: (labels) => say("puzzle.mine.which", { what: labels(played), loss: text.share(mistake.loss) }),
    judge: (tried, labels) => verdictOn(mistake, position, tried, labels),
    keep(right) {
      if (!judged) practised(game, mistake, right);
      judged = true;
    },
  };
}

/** The verdict on an action, or on the first one of a plan; the answer where there is none. */
async function verdictOn(
  { seat, played, best }: Mistake,
  position: Task["position"],
  { action, actions: [first] = [] }: Tried,
  labels: Labels,
): Promise<Verdict> {
  const tried = action ?? first;
  const { right, loss } = tried ? await judge(position, seat, tried, best) : { right: false, loss: 0 };
  if (tried && !right) return { right, loss, reasons: [] };
  const answer = tried ?? best;
  const reasons = answer === played ? [] : await reasonsFor(position, seat, answer, played);
  return { right, loss, answer: labels(answer), reasons };
}
