// The legal actions as buttons, grouped by kind: they work for everybody; the board is a second way.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Mark } from "../boards/types.ts";
import { plain } from "../catalogue.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { labelOf } from "../labels.ts";
import { memo } from "../parts.tsx";
import { text } from "../text.ts";
import { say } from "../texts.ts";

const MANY = 12; // actions from which on they can be searched

interface Props {
  actions: readonly LegalAction[];
  marks: readonly Mark[];
  /** There is room for ranks. */
  ranked: boolean;
  pointed: string | undefined;
  busy: boolean;
  /** The actions are so new that a click on them was meant for what was there before. */
  fresh: boolean;
  onAction(text: string): void;
  onPoint(text: string | undefined): void;
}

/** The list; it stays where there is nothing to do, so that it keeps its place and the focus. */
export const Actions = memo((props: Props) => {
  const wanted = useSignal("");
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = 0;
  }, [props.actions]);
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const told = (action: LegalAction) => `${labelOf(action.action)} ${action.action?.text}`.toLowerCase();
  const found = props.actions.filter((action) => words.every((word) => told(action).includes(word)));
  const kinds = [...new Set(found.map((action) => action.kind))];
  const first = found[0]?.action?.text;
  return (
    <div
      ref={box}
      class={props.ranked ? "actions ranked" : "actions"}
      role="group"
      tabIndex={-1}
      aria-label={say("actions")}
      data-fresh={props.fresh || undefined}
    >
      {(props.actions.length >= MANY || wanted.value) && (
        <input
          id="search"
          type="search"
          placeholder={say("actions.search_key")}
          aria-label={say("actions.search")}
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !words.length || !first || props.busy) return;
            wanted.value = "";
            props.onAction(first);
          }}
        />
      )}
      {kinds.map((kind) => (
        <div key={kind} class="kind" role="group" aria-label={plain(kind)}>
          <h2>{plain(kind.replaceAll("-", "_"))}</h2>
          {found
            .filter((action) => action.kind === kind)
            .map((action) => (
              <ActionButton key={action.action?.text} action={action} {...props} />
            ))}
        </div>
      ))}
    </div>
  );
});

function ActionButton({ action, marks, pointed, busy, onAction, onPoint }: Props & { action: LegalAction }) {
  const name = action.action?.text ?? "";
  const mark = marks.find((one) => one.action === name);
  const state = `${mark ? "marked" : ""} ${mark?.rank === 1 ? "best" : ""} ${pointed === name ? "pointed" : ""}`;
  return (
    <button
      type="button"
      class={`action ${state}`}
      data-action={name}
      aria-disabled={busy}
      onClick={() => busy || onAction(name)}
      onPointerEnter={() => onPoint(name)}
      onPointerLeave={() => onPoint(undefined)}
    >
      {mark?.rank && <span class="rank">{mark.rank}</span>}
      <span>{labelOf(action.action)}</span>
      {mark?.share !== undefined && <small>{text.share(mark.share)}</small>}
      {action.probability !== undefined && <small>{text.share(action.probability)}</small>}
    </button>
  );
}
