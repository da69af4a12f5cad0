// Explanations of the board: of one part beside it, or of everything in a dialog, with what it would bring now.

import { create } from "@bufbuild/protobuf";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { places as cathedralPlaces } from "../boards/cathedral/places.ts";
import { places as duelPlaces } from "../boards/duel/places.ts";
import { type Places, textOf } from "../boards/places.ts";
import { stepTold } from "../boards/steps.ts";
import { showBeside } from "../browser/popover.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { AnyPositionSchema, type LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { FILES } from "../gen/table.ts";
import { labelOf } from "../language/labels.ts";
import { capital, knows, learn, say, sayAny } from "../language/texts.ts";
import { Dialog } from "../parts/parts.tsx";
import { rules } from "../service/api.ts";
import { type Explained, explaining, type Part } from "./index.tsx";
import { nowAt, topicOf } from "./topics.ts";

/** Load the texts. */
export const load = (): Promise<void> => learn(FILES);

type Props = Explained & { part: Part | undefined; onClose(): void };

export default function Explanations(props: Props) {
  const { part } = props;
  if (explaining.value === "everything") return <Everything {...props} />;
  return (
    <>
      {explaining.value === "pressed" && (
        <p class="explain-mode" role="status">
          {say("explain.mode.on")}{" "}
          <button type="button" onClick={props.onClose}>
            {say("close")}
          </button>
        </p>
      )}
      {part && <Bubble key={part.place} {...props} part={part} />}
    </>
  );
}

/** The explanation of one part, beside it. */
function Bubble({ part, ...props }: Explained & { part: Part }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = () => box.current && showBeside(box.current, part.at, 6);
    place();
    addEventListener("resize", place);
    return () => removeEventListener("resize", place);
  }, [part]);
  const topic = topicOf(props.position, part.place);
  if (!topic) return null;
  return (
    <div ref={box} class="bubble" popover="manual" role="status" data-explains={part.place}>
      <Told {...props} place={part.place} topic={topic} />
    </div>
  );
}

/** Two sentences, its benefit at this point, and the chapter of the rules. */
function Told({ place, topic, ...props }: Explained & { place: string; topic: string }) {
  const { position, catalogue } = props;
  const now = nowAt(props, place);
  const card = catalogue.card(place.split(".").pop() ?? "");
  const may = useMay(position, actionsAt(props, place));
  return (
    <>
      {card && <strong>{catalogue.name(card.id)} </strong>}
      <p>{sayAny(topic as never)}</p>
      {now && <p class="now">{say("explain.now", { what: now })}</p>}
      {may && <p class="now">{say("explain.may", { what: may })}</p>}
      {knows(`${topic}.chapter`) && (
        <p class="muted">{say("explain.chapter", { chapter: sayAny(`${topic}.chapter` as never) })}</p>
      )}
    </>
  );
}

function actionsAt({ position, actions }: Explained, place: string): readonly LegalAction[] {
  const { game } = position;
  let found: Places = new Map();
  if (game.case === "cathedral") found = cathedralPlaces(game.value, actions);
  else if (game.case === "duel") found = duelPlaces(game.value, actions);
  return found.get(place) ?? [];
}

const SHOWN = 3; // most actions of a place that are listed

/** What may be done at a place, and what it would change at once. */
function useMay(position: Position, actions: readonly LegalAction[]): string {
  const told = useSignal("");
  const texts = actions.slice(0, SHOWN).map(textOf).join();
  useEffect(() => {
    told.value = "";
    const given = create(AnyPositionSchema, { kind: { case: "position", value: position } });
    const asked = actions.slice(0, SHOWN).map(async (action) => {
      const answer = await rules.applyActions({ position: given, actions: [textOf(action)] });
      const changes = answer.applied.flatMap((one) => one.changes.map((change) => change.text));
      return labelOf(action.action) + (changes.length ? ` (${changes.join(", ")})` : "");
    });
    let here = true;
    Promise.all(asked).then(
      (all) => {
        if (here) told.value = all.join("; ");
      },
      () => undefined, // the explanation stands without it
    );
    return () => {
      here = false;
    };
  }, [texts, position]);
  return told.value;
}

const COURSE: Record<string, readonly string[]> = {
  cathedral: [
    "draft",
    "draw",
    "builder",
    "waiting",
    "event",
    "archbishop",
    "tax",
    "shiring",
    "market",
    "cathedral",
    "keep",
  ],
  duel: ["deal", "claim", "conflict", "turn"],
};

/** The goal, the scoring, the course of a round, and every part of the board. */
function Everything(props: Props) {
  const { position, catalogue } = props;
  const game = position.game.case ?? "";
  const step = (position.game.value as { step?: string } | undefined)?.step ?? "";
  const topics = useTopics(position);
  return (
    <Dialog title={say("explain")} onClose={props.onClose}>
      <div class="explained">
        <h3>{say("explain.goal")}</h3>
        <p>{sayAny(`explain.${game}.goal.text` as never)}</p>
        <h3>{say("explain.scoring")}</h3>
        <p>{sayAny(`explain.${game}.scoring.text` as never)}</p>
        <h3>{say("explain.course")}</h3>
        <ol class="course">
          {(COURSE[game] ?? []).map((one) => (
            <li key={one} aria-current={one === step ? "step" : undefined}>
              {one === step ? stepTold(position.game, catalogue) : sayAny(`step.${game}.${one}` as never)}{" "}
              {one === step && <b>{say("explain.here")}</b>}
            </li>
          ))}
          {step && !COURSE[game]?.includes(step) && (
            <li aria-current="step">
              {stepTold(position.game, catalogue)} <b>{say("explain.here")}</b>
            </li>
          )}
        </ol>
        {topics.length > 0 && <h3>{say("explain.places")}</h3>}
        {topics.map(([topic, name, place]) => (
          <details key={topic}>
            <summary>{capital(name)}</summary>
            <Told {...props} place={place} topic={topic} />
          </details>
        ))}
      </div>
    </Dialog>
  );
}

/** The name of a part, without what can be done there; in words, that of its row. */
function nameOf(part: HTMLElement): string {
  const name = part.title || part.getAttribute("aria-label") || part.querySelector("dt, th")?.textContent;
  return (name ?? "").replace(/: .*/, "");
}

/** The topics of the parts that the board shows: each once, with the name of the first part and its place. */
function useTopics(position: Position): [topic: string, name: string, place: string][] {
  const found = new Map<string, [string, string, string]>();
  for (const part of document.querySelectorAll<HTMLElement>(".board [data-about]")) {
    const place = part.dataset.about ?? "";
    const topic = topicOf(position, place);
    const name = nameOf(part);
    if (topic && name && !found.has(topic)) found.set(topic, [topic, name, place]);
  }
  return [...found.values()];
}
