// The panel of a plan: a stepper for each craftsman, its yield, and one button for all of it. The rest is shown
// above, in place of what there is.

import { useRef } from "preact/hooks";
import { bestGain } from "../boards/cathedral/best.ts";
import { amounts, ROUNDS, tradeOf } from "../boards/cathedral/words.ts";
import { Item } from "../boards/index.tsx";
import { COLOURS } from "../boards/places.ts";
import type { Catalogue } from "../boards/types.ts";
import { inside } from "../game/inside.ts";
import { together } from "../game/news.ts";
import type { Plan } from "../game/plan.ts";
import type { CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { PlanConversionsResponse, PossibleUse } from "../gen/clerestory/v1/rules_pb.ts";
import { gameText, say } from "../language/texts.ts";
import { Stepper, Trouble } from "../parts/parts.tsx";

interface Props {
  plan: Plan;
  position: Position;
  catalogue: Catalogue;
  busy: boolean;
  fresh: boolean;
  onPlan(actions: string[]): void;
}

export function PlanPanel({ plan, position, catalogue, busy, fresh, onPlan }: Props) {
  const answer = plan.answer.value;
  const game = position.game.case ?? "";
  const leaves = answer && !answer.required ? leftBy(answer, plan, position, catalogue) : [];
  const asked = useRef<Plan | undefined>(undefined);
  const play = async () => {
    if (busy || fresh || asked.current === plan) return;
    asked.current = plan;
    const actions = await plan.actions();
    if (asked.current === plan) asked.current = undefined;
    if (actions.length) onPlan(actions);
  };
  return (
    <div
      class="actions planning"
      role="group"
      tabIndex={-1}
      aria-label={say("actions")}
      aria-busy={plan.busy.value}
      data-fresh={fresh || undefined}
    >
      <Trouble words={plan.trouble.value} />
      {answer && (
        <>
          <ul class="uses" aria-label={say(answer.required ? "plan.discards" : "plan")}>
            {bestFirst(answer.possible, catalogue).map((one) => (
              <Use
                key={one.item}
                plan={plan}
                one={one}
                label={nameAmong(one, answer.possible, game)}
                game={game}
                catalogue={catalogue}
              />
            ))}
          </ul>
          <div class="closing">
            <Result answer={answer} />
            <button
              type="button"
              class="action main"
              data-action="finish"
              aria-disabled={busy || !answer.actions.length}
              onClick={() => void play()}
            >
              {answer.required ? say("plan.discard", { count: answer.required }) : say("plan.finish")}
              {leaves.map((words) => (
                <small key={words}>{words}</small>
              ))}
            </button>
          </div>
        </>
      )}
    </div>
  );
}

const KEPT = 5; // cubes that a player can keep to the next round

/** What finishing leaves: goods that would still make points, and those that must go back then. */
function leftBy(answer: PlanConversionsResponse, plan: Plan, position: Position, catalogue: Catalogue): string[] {
  const { takes, vp } = bestGain(position, catalogue, plan.uses.value);
  const game = (answer.position ? inside(answer.position) : position)?.game;
  const left = game?.case === "cathedral" && answer.actions.length > 0 ? cubesToReturn(game.value, position) : 0;
  return [
    vp > 0 ? say("plan.unused", { what: amounts(takes), count: vp }) : "",
    left > 0 ? say("plan.returned", { count: left, most: KEPT }) : "",
  ].filter(Boolean);
}

/** How many cubes above the limit the acting seat has after a plan; none after the last round. */
function cubesToReturn(after: CathedralPosition, { game }: Position): number {
  const before = game.case === "cathedral" ? game.value : after;
  const own = after.players[COLOURS.indexOf(before.toAct)];
  if (!own || before.round === ROUNDS) return 0;
  return own.sand + own.wood + own.stone + own.metal - KEPT;
}

/** The possible uses, the craftsmen who make the most points of a good first. */
function bestFirst(possible: readonly PossibleUse[], catalogue: Catalogue): PossibleUse[] {
  const worth = ({ item, most, planned }: PossibleUse) => {
    const trade = tradeOf(catalogue, item);
    const goods = Object.values(trade?.takes ?? {}).reduce((sum, count) => sum + count, 0);
    return most + planned ? (trade?.gives.vp ?? 0) / Math.max(goods, 1) : -1;
  };
  return [...possible].sort((one, other) => worth(other) - worth(one));
}

/** The name of the item, with its round if another item has the same name. */
function nameAmong({ item, label }: PossibleUse, all: readonly PossibleUse[], game: string): string {
  const round = /_(\d+)$/.exec(item)?.[1];
  const alone = all.every((one) => one.item === item || one.label !== label);
  return alone || !round ? label : gameText(game, "of_round", { card: label, round });
}

interface UseProps extends Pick<Props, "plan" | "catalogue"> {
  game: string;
  one: PossibleUse;
  label: string;
}

function Use({ plan, one, label, game, catalogue }: UseProps) {
  const idle = plan.idle.value.get(one.item);
  const times = plan.uses.value[one.item] ?? 0; // pressed faster than the service answers, it still counts each press
  return (
    <li>
      <span class="use pictured">
        {label}
        <span class="drawn-use">
          <Item game={game} id={one.item} catalogue={catalogue} />
        </span>
      </span>
      <Stepper
        label={label}
        value={times}
        least={0}
        most={Math.max(one.most, times)}
        onChange={(wanted) => plan.set(one.item, wanted)}
      />
      {idle && <span class="idle">{idle}</span>}
    </li>
  );
}

/** What the plan brings, or why it does not work. */
const Result = ({ answer }: { answer: PlanConversionsResponse }) => (
  <div class="planned" aria-live="polite">
    {answer.faults.map((fault) => (
      <p key={fault.item + fault.code} class="trouble">
        {fault.text}
      </p>
    ))}
    {answer.changes.length > 0 && <p>{answer.changes.map(({ text }) => together(text)).join(say("between"))}</p>}
    {answer.goldLost > 0 && <p class="trouble">{say("plan.lost", { count: answer.goldLost })}</p>}
  </div>
);
