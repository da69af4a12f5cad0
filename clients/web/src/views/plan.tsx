// The panel of a plan: a stepper for each craftsman, what is left and what it brings, and one button for all of it.

import { Purse } from "../boards/purse.tsx";
import type { SeatLook } from "../boards/types.ts";
import type { PlanConversionsResponse, PossibleUse } from "../gen/clerestory/v1/rules_pb.ts";
import { inside } from "../inside.ts";
import { Stepper } from "../parts.tsx";
import type { Plan } from "../plan.ts";
import { say } from "../texts.ts";

interface Props {
  plan: Plan;
  seats: readonly SeatLook[];
  seat: number | undefined;
  busy: boolean;
  fresh: boolean;
  onPlan(actions: string[]): void;
}

export function PlanPanel({ plan, seats, seat, busy, fresh, onPlan }: Props) {
  const answer = plan.answer.value;
  const actions = answer?.actions.map((action) => action.text) ?? [];
  const play = () => {
    if (busy || fresh || !actions.length) return;
    plan.done();
    onPlan(actions);
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
      {answer && (
        <>
          <ul class="uses" aria-label={say(answer.required ? "plan.discards" : "plan")}>
            {answer.possible.map((one) => (
              <Use key={one.item} plan={plan} one={one} />
            ))}
          </ul>
          <Result answer={answer} seats={seats} seat={seat} />
          <button
            type="button"
            class="action main"
            data-action="finish"
            aria-disabled={busy || !actions.length}
            onClick={play}
          >
            {answer.required ? say("plan.discard", { count: answer.required }) : say("plan.finish")}
          </button>
        </>
      )}
    </div>
  );
}

function Use({ plan, one }: { plan: Plan; one: PossibleUse }) {
  return (
    <li>
      <span>{one.label}</span>
      <Stepper
        label={one.label}
        value={one.planned}
        least={0}
        most={Math.max(one.most, one.planned)}
        onChange={(times) => plan.set(one.item, times)}
      />
    </li>
  );
}

/** What the plan brings and leaves, or why it does not work. */
function Result({ answer, seats, seat }: { answer: PlanConversionsResponse } & Pick<Props, "seats" | "seat">) {
  const after = answer.position && inside(answer.position);
  return (
    <div class="planned" aria-live="polite">
      {answer.faults.map((fault) => (
        <p key={fault.item + fault.code} class="trouble">
          {fault.text}
        </p>
      ))}
      {answer.changes.length > 0 && <p>{answer.changes.map((change) => change.text).join(say("between"))}</p>}
      {answer.goldLost > 0 && <p class="trouble">{say("plan.lost", { count: answer.goldLost })}</p>}
      {after && answer.changes.length > 0 && (
        <div class="means pictured">
          <span>{say("plan.left")}</span>
          <Purse position={after} previous={undefined} seats={seats.filter((one) => one.seat === seat)} seat={seat} />
        </div>
      )}
    </div>
  );
}
