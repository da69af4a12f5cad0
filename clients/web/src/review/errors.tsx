// The errors of a review: the costliest with what was better, and each to try again.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import { pressed } from "../browser/keys.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { labelAmong } from "../language/labels.ts";
import { text } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { SeatSign } from "../parts/parts.tsx";
import { again, insist, mayPass } from "../service/insist.ts";
import type { Study } from "../study/study.ts";
import { WORST } from "./practice.ts";
import { type Fault, judge, UNIT } from "./review.ts";

interface Props {
  study: Study;
  seats: readonly SeatLook[];
  /** The position as the seat to decide knows it. */
  known: Position | undefined;
  /** The costliest first. */
  errors: readonly Fault[];
}

/** The costliest errors, or one of all of them to try again. */
export function Errors(props: Props) {
  const number = useSignal(-1);
  const { study, errors } = props;
  const turn = async (step: 1 | -1) => {
    if (!errors.length) return;
    const from = number.value < 0 && step < 0 ? 0 : number.value;
    number.value = (from + step + errors.length) % errors.length;
    if (study.strayed.value) await study.back();
    await study.go((errors[number.value]?.ply ?? 1) - 1);
  };
  useKey("n", turn);
  if (!errors.length) return <p>{say("review.no_errors")}</p>;
  const error = errors[number.value];
  return (
    <>
      {error ? <Trial key={number.value} {...props} error={error} number={number} /> : <Worst {...props} />}
      <p class="row">
        <button type="button" class="main" onClick={() => void turn(1)}>
          {error ? say("review.next") : say("review.errors", { count: errors.length })} <kbd>n</kbd>
        </button>
        {error && (
          <button type="button" onClick={() => (number.value = -1)}>
            {say("review.list")}
          </button>
        )}
      </p>
    </>
  );
}

/** A key for the next error, with Shift for the previous one. */
function useKey(key: string, turn: (step: 1 | -1) => Promise<void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (pressed(event).toLowerCase() === key) void turn(event.shiftKey ? -1 : 1);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

const reasonOf = ({ at }: Fault) => at.reasons.map((one) => one.text).join(" ");

/** The costliest errors: the move, a better one, and why; each leads to the position before it. */
function Worst({ study, seats, errors }: Props) {
  return (
    <>
      <h3>{say("review.worst")}</h3>
      <ol class="worst">
        {errors.slice(0, WORST).map((error) => (
          <li key={error.ply}>
            <button
              type="button"
              class="plain"
              aria-pressed={study.at.value === error.ply - 1}
              onClick={() => void study.go(error.ply - 1)}
            >
              <b dir="ltr">{error.glyph}</b>
              <Whose look={seats[error.at.seat ?? 0]} />
              <span>
                {error.at.round ? say("review.round", { round: error.at.round }) : say("turn.past", { ply: error.ply })}
              </span>
              <strong>{text.change(-error.loss / UNIT)}</strong>
            </button>
            <dl>
              <Line name={say("review.played")} words={error.what} />
              <Line name={say("review.better")} words={labelAmong(error.at.best, [error.at.action])} />
              <Line name={say("review.why")} words={reasonOf(error)} />
            </dl>
          </li>
        ))}
      </ol>
    </>
  );
}

const Whose = ({ look }: { look: SeatLook | undefined }) =>
  look ? (
    <>
      <SeatSign look={look} /> <span class="unseen">{look.name}</span>
    </>
  ) : null;

const Line = ({ name, words }: { name: string; words: string }) =>
  words ? (
    <div>
      <dt>{name}</dt>
      <dd>{words}</dd>
    </div>
  ) : null;

interface TrialProps extends Props {
  error: Fault;
  /** Its place among the errors. */
  number: Signal<number>;
}

/** An error to try again: the position before it, the verdict on a try, and the answer on request. */
function Trial({ study, seats, known, errors, error, number }: TrialProps) {
  const shown = useSignal(false);
  const told = useVerdict(study, known, error);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
  }, [told.value, shown.value]);
  const reason = reasonOf(error);
  return (
    <div ref={box} class="error" aria-live="polite">
      <p>
        <b dir="ltr">{error.glyph}</b> <Whose look={seats[error.at.seat ?? 0]} />
        {say("review.error", {
          number: number.value + 1,
          of: errors.length,
          what: error.what,
          loss: text.share(error.loss / UNIT),
        })}
      </p>
      {told.value && <p>{told.value}</p>}
      {shown.value ? (
        <p>
          {labelAmong(error.at.best, [error.at.action])}
          {reason ? `: ${reason}` : "."}
        </p>
      ) : (
        <button type="button" onClick={() => (shown.value = true)}>
          {say("review.show")}
        </button>
      )}
    </div>
  );
}

/** The verdict on the action that is tried instead of an error; empty while there is none. */
function useVerdict(study: Study, known: Position | undefined, error: Fault): Signal<string> {
  const told = useSignal("");
  const there = study.follows(error.ply - 1); // the line has not left the record before
  const tried = there ? study.line.value[error.ply - 1] : undefined;
  const before = useSignal<Position | undefined>(undefined);
  useEffect(() => {
    if (there && study.at.value === error.ply - 1 && known) before.value = known;
  }, [known, study.at.value, there]);
  useEffect(() => {
    const best = error.at.best?.text;
    if (!best || !tried || tried === error.at.action?.text || !before.value) return;
    let looking = true; // until it is answered, or something else is looked at
    const tell = (words: string) => {
      looking = false;
      told.value = words;
    };
    told.value = say("review.looking");
    const position = before.value;
    const until = { wanted: () => looking, told: again(told), passes: mayPass };
    insist(() => judge(position, error.at.seat ?? 0, tried, best), until).then(
      ({ right, loss }) => {
        if (!looking) return;
        tell(right ? say("review.right") : say("review.wrong", { loss: text.share(loss) }));
        if (!right) void study.back().then(() => study.go(error.ply - 1));
      },
      () => looking && tell(say("review.unknown")),
    );
    return () => {
      if (looking) tell("");
    };
  }, [tried]);
  return told;
}
