// Places of a board: their actions, their hints, and recent changes.
//
// A place with actions is a button, but is skipped by the Tab key: the list of actions is the way
// in for the keyboard, and passing everything twice would be tedious.

import { type Signal, useSignal } from "@preact/signals";
import { type ComponentChildren, createContext, type FunctionComponent } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { showBeside } from "../browser/popover.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { labelAmong, labelOf } from "../language/labels.ts";
import { text } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { bestMark, type Places, textOf } from "./places.ts";
import type { BoardProps, Mark } from "./types.ts";
import { warningsOf } from "./warnings.ts";

interface Choosing {
  place: string;
  at: DOMRect;
}

interface Ground {
  board: BoardProps;
  places: Places;
  choosing: Signal<Choosing | undefined>;
}

const Around = createContext<Ground>({} as Ground);

/** The board that a part belongs to. */
export const useBoard = (): BoardProps => useContext(Around).board;

/** A board whose parts can be places. */
function Ground(props: { board: BoardProps; places: Places; class: string; children: ComponentChildren }) {
  const choosing = useSignal<Choosing | undefined>(undefined);
  const { board, places } = props;
  const open = choosing.value && places.get(choosing.value.place);
  useLayoutEffect(() => {
    if (!open) choosing.value = undefined; // it does not open by itself once the place has actions again
  }, [open]);
  return (
    <Around.Provider value={{ board, places, choosing }}>
      <div class="drawn">
        <div class={props.class}>{props.children}</div>
      </div>
      {choosing.value && open && <Choices key={choosing.value.place} at={choosing.value.at} actions={open} />}
    </Around.Provider>
  );
}

/** A place for parts of a board without a game: cards of a catalogue. */
export function Exhibit(props: Pick<BoardProps, "catalogue" | "seats"> & { children: ComponentChildren }) {
  const choosing = useSignal<Choosing | undefined>(undefined);
  const board = { catalogue: props.catalogue, seats: props.seats } as BoardProps;
  return <Around.Provider value={{ board, places: new Map(), choosing }}>{props.children}</Around.Provider>;
}

type Game = BoardProps["position"]["game"];
type Value<Name> = Extract<Game, { case: Name }>["value"];

/** Return the board of a game: its places, and its parts in their order. */
export function boardOf<Name extends Game["case"] & string>(
  name: Name,
  shape: string,
  places: (position: Value<Name>, actions: readonly LegalAction[]) => Places,
  parts: readonly FunctionComponent[],
): FunctionComponent<BoardProps> {
  return (props) => {
    const { game } = props.position;
    if (game.case !== name) return null;
    return (
      <Ground board={props} places={places(game.value as Value<Name>, props.actions)} class={shape}>
        {parts.map((Part, index) => (
          <Part key={index} />
        ))}
      </Ground>
    );
  };
}

interface SpotProps {
  place: string;
  class?: string;
  /** Its description, shown on hovering. */
  title?: string | undefined;
  /** It has just changed. */
  news?: boolean | undefined;
  children?: ComponentChildren;
}

/** A place: a button if it has actions, else only its content. */
export function Spot(props: SpotProps) {
  const { board, places } = useContext(Around);
  const actions = places.get(props.place);
  const shape = `spot ${props.class ?? ""} ${props.news ? "fresh" : ""}`;
  if (actions) return <Open {...props} class={shape} actions={actions} mark={bestMark(actions, board.marks)} />;
  return (
    <span class={shape} title={props.title} data-about={props.place || undefined}>
      {props.children}
    </span>
  );
}

function Open({ actions, mark, ...props }: SpotProps & { actions: readonly LegalAction[]; mark: Mark | undefined }) {
  const { board, choosing } = useContext(Around);
  const sole = actions.length === 1 ? textOf(actions[0] as LegalAction) : undefined;
  const only = actions.some((action) => warningsOn(board, action).length) ? undefined : sole; // one that gives something up asks first
  const told = sole === undefined ? say("board.count", { count: actions.length }) : labelOf(actions[0]?.action);
  const pointed = board.pointed !== undefined && actions.some((action) => textOf(action) === board.pointed);
  const choose = (event: MouseEvent) => {
    const at = (event.currentTarget as Element).getBoundingClientRect();
    if (only === undefined) choosing.value = { place: props.place, at };
    else board.onAction(only);
  };
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`${props.class} can ${hinted(mark)} ${pointed ? "is-pointed" : ""}`}
      title={props.title ? say("with", { name: props.title, what: told }) : told}
      data-place={props.place}
      data-about={props.place}
      onClick={choose}
      onPointerEnter={() => board.onPoint(sole)}
      onPointerLeave={() => board.onPoint(undefined)}
    >
      {props.children}
      <Unseen> {say("board.on", { what: told })}</Unseen>
      <Hint mark={mark} />
    </button>
  );
}

const warningsOn = ({ position, catalogue, actions }: BoardProps, action: LegalAction) =>
  warningsOf(action, position, catalogue, actions);

const hinted = (mark: Mark | undefined) =>
  !mark ? "" : mark.rank === undefined ? "is-hint" : mark.best ? "is-hint is-best" : "is-hint is-faint";

function Hint({ mark }: { mark: Mark | undefined }) {
  if (mark?.rank === undefined) return null;
  return (
    <span class="hint">
      {mark.rank}
      {mark.share !== undefined && <small>{text.whole(mark.share)}</small>}
    </span>
  );
}

/** The choices of a place with several actions. */
function Choices({ at, actions }: { at: DOMRect; actions: readonly LegalAction[] }) {
  const { board, choosing } = useContext(Around);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = box.current;
    if (!shown) return;
    showBeside(shown, at, 4);
  }, [at]);
  const close = () => {
    choosing.value = undefined;
    board.onPoint(undefined);
  };
  const choose = (action: LegalAction) => {
    close();
    board.onAction(textOf(action));
  };
  return (
    <div
      ref={box}
      class="choices"
      popover="auto"
      role="group"
      aria-label={say("board.choices")}
      onToggle={(event) => event.newState === "closed" && close()}
    >
      {actions.map((action) => (
        <button
          key={textOf(action)}
          type="button"
          class={hinted(bestMark([action], board.marks))}
          onClick={() => choose(action)}
          onPointerEnter={() => board.onPoint(textOf(action))}
          onPointerLeave={() => board.onPoint(undefined)}
        >
          {labelAmong(
            action.action,
            actions.map((one) => one.action),
          )}
          {warningsOn(board, action).map((warning) => (
            <span key={warning} class="idle">
              {warning}
            </span>
          ))}
          <Hint mark={bestMark([action], board.marks)} />
        </button>
      ))}
    </div>
  );
}

/** The change of a number; nothing if it has not changed. */
export function Change({ of, was = of }: { of: number; was?: number | undefined }) {
  if (of === was) return null;
  return <bdi class="by">{of > was ? `+${of - was}` : `−${was - of}`}</bdi>;
}

/** A number and its change. */
export function Count({ of, was }: { of: number; was?: number | undefined }) {
  return (
    <span class="count">
      {of}
      <Change of={of} was={was} />
    </span>
  );
}

/** Words for screen readers. */
export const Unseen = ({ children }: { children: ComponentChildren }) => <span class="unseen">{children}</span>;
