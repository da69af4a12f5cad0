// A lesson on the ordinary table: its text, its task, and the light on the places concerned.

import { useEffect, useRef } from "preact/hooks";
import { look, seatCount, seatOf } from "../boards/seats.ts";
import { go, link } from "../browser/route.ts";
import { tab } from "../browser/storage.ts";
import type { AppliedAction } from "../gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "../language/labels.ts";
import { say } from "../language/texts.ts";
import { Opening } from "../parts/opening.tsx";
import { SeatSign, Trouble } from "../parts/parts.tsx";
import { NextStep } from "../path/next.tsx";
import { useLoaded, useRetold } from "../service/loading.ts";
import { IMPORTED } from "../study/study.ts";
import { Table } from "../views/table.tsx";
import { begun, type Lesson } from "./lesson.ts";
import { useLights } from "./lights.ts";
import { Stars } from "./stars.tsx";

/** A lesson from its beginning; `following` is the name of the next one, empty if it is the last. */
export function Player({ name, following }: { name: string; following: string }) {
  const { found, trouble } = useLoaded(name, () => begun(name));
  return found ? <Begun lesson={found} following={following} /> : <Opening trouble={trouble} />;
}

function Begun({ lesson, following }: { lesson: Lesson; following: string }) {
  useEffect(() => () => lesson.leave(), [lesson]);
  useRetold(() => lesson.again());
  const { answer, scene, before, reading } = lesson;
  const now = answer.value;
  const position = scene.value?.position;
  const told = reading.value || scene.value?.wrong ? scene.value : now;
  useLights(told?.lights ?? [], lesson.version.value);
  if (!position) return null;
  const seats = Array.from({ length: seatCount(position) }, (_, index) => look(index));
  const acts = !reading.value && !lesson.over.value;
  return (
    <Table
      version={lesson.version.value}
      position={position}
      points={scene.value?.points ?? []}
      was={scene.value?.applied ? before.value : undefined}
      seats={seats}
      viewer={now.seat}
      seat={now.seat}
      actions={acts ? now.actions : []}
      busy={lesson.asked.busy.value}
      onAction={(action) => void lesson.play(action)}
      turn={now.summary?.title ?? ""}
      myTurn={acts}
      question={acts && now.hints ? { position, seat: now.seat, game: "" } : undefined}
      barred={now.hints ? undefined : say("learn.no_hints")}
      applied={[]}
      at={0}
      news={announced(lesson)}
      newsAt={lesson.version.value}
      onGo={() => undefined}
      keys={{ n: lesson.next, r: () => void lesson.restart() }}
      menu={
        <>
          <button type="button" onClick={() => void lesson.restart()}>
            {say("learn.restart")} <kbd>r</kbd>
          </button>
          <a class="button" href={link("path")}>
            {say("learn.path")}
          </a>
        </>
      }
    >
      <Words lesson={lesson} following={following} />
    </Table>
  );
}

/** The text to read, the task, or the result. */
function Words({ lesson, following }: { lesson: Lesson; following: string }) {
  const now = lesson.answer.value;
  const scene = lesson.scene.value;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (lesson.reading.value) button.current?.focus({ preventScroll: true });
  });
  if (!scene) return null;
  return (
    <section class={scene.wrong ? "lesson wrong" : "lesson"} aria-label={say("learn.lesson")}>
      <progress value={lesson.done.value} aria-label={say("learn.done")} />
      <Trouble words={lesson.asked.trouble.value} />
      {scene.applied && !scene.wrong && <Played applied={scene.applied} />}
      {(lesson.reading.value || scene.wrong) && scene.text && <p>{scene.text}</p>}
      {lesson.reading.value ? (
        <button ref={button} type="button" class="main" onClick={lesson.next}>
          {say("learn.next")} <kbd>n</kbd>
        </button>
      ) : lesson.over.value ? (
        <Done lesson={lesson} following={following} />
      ) : (
        <p class="task">{now.task}</p>
      )}
    </section>
  );
}

/** The action played, and its player. */
function Played({ applied: { action, turn } }: { applied: AppliedAction }) {
  const seat = seatOf(turn);
  return (
    <p class="muted">
      {seat !== undefined && <SeatSign look={look(seat)} />}
      {seat !== undefined && <span class="unseen">{look(seat).name}: </span>} {labelOf(action)}
    </p>
  );
}

/** The announcement of the current scene. */
function announced({ answer, scene, reading, over }: Lesson): string {
  if (over.value) return say("learn.stars", { count: answer.value.stars });
  const words = scene.value?.text ?? "";
  return reading.value ? words : `${scene.value?.wrong ? words : ""} ${answer.value.task}`.trim();
}

/** The end of a lesson: its stars, and where to go. */
function Done({ lesson, following }: { lesson: Lesson; following: string }) {
  const { stars, record, summary } = lesson.answer.value;
  const review = () => {
    tab.set(IMPORTED, record);
    go(["study", "file", "review"]);
  };
  return (
    <>
      <p>
        {say("learn.over", { title: summary?.title ?? "" })} <Stars count={stars} />
      </p>
      <p class="row">
        {following && (
          <a class="button main" href={link("learn", following)}>
            {say("learn.following")}
          </a>
        )}
        {record.includes('"returns": [') && (
          <button type="button" onClick={review}>
            {say("learn.review")}
          </button>
        )}
        <button type="button" onClick={() => void lesson.restart()}>
          {say("learn.again")}
        </button>
        <a class="button" href="#/">
          {say("learn.play")}
        </a>
      </p>
      {!following && summary && <NextStep game={summary.game} />}
    </>
  );
}
