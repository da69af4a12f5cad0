// The legal actions as buttons, grouped by kind: they work for everybody; the board is a second way.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { besides } from "../boards/prices.ts";
import { Unseen } from "../boards/spots.tsx";
import type { Catalogue, Mark } from "../boards/types.ts";
import { warningsOf } from "../boards/warnings.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { labelAmong } from "../language/labels.ts";
import { text } from "../language/text.ts";
import { capital, gameText, say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { memo, Stepper } from "../parts/parts.tsx";

const MANY = 12; // number of buttons at which a search field appears

interface Props {
  /** Its name. */
  game: string;
  position: Position;
  catalogue: Catalogue;
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
  /** The latest events, shown if there is nothing to do. */
  news: string;
}

/** The list; it stays where there is nothing to do, so that it keeps its place and the focus. */
export const Actions = memo((props: Props) => {
  const wanted = useSignal("");
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef(props.actions);
  useLayoutEffect(() => {
    if (shown.current === props.actions) return; // a new list begins at its top; to set it would lay out the whole page
    shown.current = props.actions;
    if (box.current) box.current.scrollTop = 0;
    wanted.value = "";
  }, [props.actions]);
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = props.actions.map((one) => one.action);
  const labels = new Map(all.map((one) => [one, labelAmong(one, all)]));
  const told = ({ action }: LegalAction) => `${labels.get(action)} ${action?.text}`.toLowerCase();
  const found = closingLast(props.actions).filter((action) => words.every((word) => told(action).includes(word)));
  const kinds = [...new Set(found.map((action) => action.kind))];
  const many = gathered(props.actions).length >= MANY;
  const first = found[0]?.action?.text;
  const prefixes = new Map(
    kinds.map((kind) => [
      kind,
      sharedOf(
        found.filter((one) => one.kind === kind),
        labels,
      ),
    ]),
  );
  const nameOf = (kind: string) => capital(gameText(props.game, `action.${kind}`));
  const group = (kind: string) => (
    <div key={kind} class={CLOSING.includes(kind) ? "kind closing" : "kind"} role="group" aria-label={nameOf(kind)}>
      <h2>{nameOf(kind)}</h2>
      {gathered(found.filter((action) => action.kind === kind)).map((alike) =>
        alike.length > 1 ? (
          <Numbered key={alike[0]?.action?.text} alike={alike} labels={labels} {...props} />
        ) : (
          alike.map((one) => (
            <ActionButton
              key={one.action?.text}
              action={one}
              labels={labels}
              shared={prefixes.get(kind) ?? ""}
              {...props}
            />
          ))
        ),
      )}
    </div>
  );
  return (
    <div
      class={props.ranked ? "actions ranked" : "actions"}
      role="group"
      tabIndex={-1}
      aria-label={say("actions")}
      data-fresh={props.fresh || undefined}
      onKeyDown={step}
    >
      <div ref={box} class="list">
        {(many || wanted.value) && (
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
        {!props.actions.length && <p class="latest">{props.news}</p>}
        {words.length > 0 && !found.length && <p role="status">{say("actions.none")}</p>}
        {kinds.filter((kind) => !CLOSING.includes(kind)).map(group)}
      </div>
      {kinds.filter((kind) => CLOSING.includes(kind)).map(group)}
    </div>
  );
});

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Go from an action, or from the search, to the next or the previous action. */
function step(event: KeyboardEvent): void {
  const by = STEPS[event.key];
  const from = (event.target as Element).closest<HTMLElement>(".action, #search, .actions");
  if (!by || !from || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault(); // the list would scroll
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".action")];
  all[Math.max(all.indexOf(from) + by, 0)]?.focus();
}

const CLOSING = ["pass", "wait", "stop", "leave", "finish", "end"]; // kinds of actions after which nothing more can be done

/** The actions, then the one that ends them, set apart against presses by habit. */
const closingLast = (actions: readonly LegalAction[]): LegalAction[] =>
  [...actions].sort((one, other) => Number(CLOSING.includes(one.kind)) - Number(CLOSING.includes(other.kind)));

const COLON = /^.*?[:：] /;

/** The beginning, up to a colon, that all labels of a group share and its heading repeats; empty for none. */
function sharedOf(group: readonly LegalAction[], labels: Labelled["labels"]): string {
  const [first = "", ...more] = group.map(({ action }) => labels.get(action) ?? "");
  const shared = COLON.exec(first)?.[0] ?? "";
  return more.length > 0 && more.every((label) => label.startsWith(shared)) ? shared : "";
}

const TRADES = ["buy", "sell"]; // actions that differ only in a number, which is their last argument

/** Actions that differ only in a number, together; all others alone. */
function gathered(actions: readonly LegalAction[]): LegalAction[][] {
  const found = new Map<string, LegalAction[]>();
  for (const action of actions) {
    const { kind, arguments: words } = action;
    const numbered = TRADES.includes(kind) && words.length > 1 && Number(words[words.length - 1]) > 0;
    const key = numbered ? words.slice(0, -1).join(" ") : (action.action?.text ?? "");
    found.set(key, [...(found.get(key) ?? []), action]);
  }
  return [...found.values()];
}

interface Labelled extends Props {
  labels: ReadonlyMap<LegalAction["action"], string>;
}

/** Actions that differ only in a number: a stepper, and a button that plays the chosen one. */
function Numbered({ alike, ...props }: Labelled & { alike: readonly LegalAction[] }) {
  const wanted = useSignal(0);
  const at = Math.min(wanted.value, alike.length - 1);
  const chosen = alike[at];
  if (!chosen) return null;
  return (
    <div class="numbered">
      <ActionButton action={chosen} {...props} />
      <Stepper
        label={gameText(props.game, `good.${chosen.arguments[0]}`)}
        value={at + 1}
        least={1}
        most={alike.length}
        onChange={(value) => (wanted.value = value - 1)}
      />
    </div>
  );
}

interface ButtonProps extends Labelled {
  action: LegalAction;
  /** The beginning of its label that need not be seen. */
  shared?: string;
}

function ActionButton({ action, labels, shared = "", ...props }: ButtonProps) {
  const { marks, pointed, busy, onAction, onPoint } = props;
  const name = action.action?.text ?? "";
  const mark = marks.find((one) => one.action === name);
  const warnings = warningsOf(action, props.position, props.catalogue, props.actions);
  const more = besides(action, props.position, props.catalogue);
  const state = `${mark ? "marked" : ""} ${mark?.best ? "best" : ""} ${pointed === name ? "pointed" : ""}`;
  return (
    <Button
      class={`action ${state}`}
      data-action={name}
      off={busy}
      onPress={() => onAction(name)}
      onPointerEnter={() => onPoint(name)}
      onPointerLeave={() => onPoint(undefined)}
    >
      {mark?.rank && <span class="rank">{mark.rank}</span>}
      <span>
        {shared && <Unseen>{shared}</Unseen>}
        {labels.get(action.action)?.slice(shared.length)}
        {more && " "}
        {more && <span class="besides">{more}</span>}
        {warnings.map((warning) => (
          <span key={warning} class="idle">
            {` ${warning}`}
          </span>
        ))}
      </span>
      {mark?.share !== undefined && <small>{text.share(mark.share)}</small>}
      {action.probability !== undefined && <small>{text.share(action.probability)}</small>}
    </Button>
  );
}
