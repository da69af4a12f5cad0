/**
 * `<clerestory-board>`: the page's board of a game and its list of actions, as an element for other pages.
 *
 * @module @clerestory/board
 */

import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { readPosition } from "@clerestory/client";
import { type Signal, signal, useSignal } from "@preact/signals";
import { render } from "preact";
import { catalogueOf, EMPTY } from "../boards/catalogue.ts";
import { Board } from "../boards/index.tsx";
import { look, seatCount } from "../boards/seats.ts";
import { summary } from "../boards/summary.ts";
import type { Catalogue, Mark } from "../boards/types.ts";
import { useFocusKept } from "../browser/focus.ts";
import { once } from "../browser/once.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { DescribeCatalogueResponseSchema, type LegalAction, LegalActionSchema } from "../gen/clerestory/v1/rules_pb.ts";
import { FILES } from "../gen/table.ts";
import { firstKnown, isTurned, knows, language, learn, speak } from "../language/texts.ts";
import { Actions } from "../views/actions.tsx";

/** An action and its label, as the engine for browsers has them. */
export interface PlainAction {
  readonly text: string;
  readonly label?: string | undefined;
}

/** An action as a server lists it, in JSON: in `ListActions`, or in the view of a hosted game. */
export interface ListedAction {
  readonly action?: { readonly text?: string | undefined; readonly label?: string | undefined } | undefined;
  readonly probability?: number | string | undefined;
}

export type BoardAction = PlainAction | ListedAction;

/** An action that is marked on the board. */
export interface Hint {
  /** Text of the action. */
  readonly action: string;
  /** Win share of the seat to decide, 0 to 1; not set to show no figures. */
  readonly share?: number | undefined;
}

/** The event `action`; its `detail` is the text of the chosen action. */
export type ActionEvent = CustomEvent<string>;

/** What an element shows. */
interface Shown {
  position?: Position | undefined;
  previous?: Position | undefined;
  catalogue?: Catalogue | undefined;
  actions?: readonly LegalAction[] | undefined;
  marks?: readonly Mark[];
  names?: readonly string[];
  viewer?: number | undefined;
  words?: boolean;
}

const PROPERTIES = ["position", "previous", "catalogue", "actions", "hints", "names", "viewer"] as const;
const NONE: readonly never[] = [];

declare const STYLE: string; // element.css and what it imports, by the build

const style = new CSSStyleSheet();
style.replaceSync(STYLE);

/** The cards of each game, which are beside this script. */
const CATALOGUES: Partial<Record<string, () => Catalogue | undefined>> = {
  cathedral: once(async () => readCatalogue((await import("./cathedral.catalogue.js")).default)),
  duel: once(async () => readCatalogue((await import("./duel.catalogue.js")).default)),
};

const readCatalogue = (json: unknown): Catalogue =>
  catalogueOf(fromJson(DescribeCatalogueResponseSchema, json as JsonValue).entries);

let spoken: Promise<void> | undefined;

/** Speak a language on all boards of the page, by its BCP 47 tag; English where there is none. Resolves once it is loaded. */
export function setLanguage(tag: string): Promise<void> {
  const first = spoken === undefined;
  spoken = speak(firstKnown([tag]) ?? "en");
  if (first) spoken = spoken.then(() => learn(FILES));
  return spoken;
}

/** The board of a position, and the actions that can be chosen there. */
export class ClerestoryBoard extends HTMLElement {
  static readonly observedAttributes = ["lang", "viewer", "words"];

  readonly #root = this.attachShadow({ mode: "open" });
  readonly #given: Partial<Record<(typeof PROPERTIES)[number], unknown>> = {};
  readonly #shown = signal<Shown>({});

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [style];
    this.addEventListener("keydown", (event) => this.#search(event));
  }

  connectedCallback(): void {
    this.#takeEarlier();
    if (!spoken) void setLanguage(this.closest<HTMLElement>("[lang]")?.lang ?? "");
    const choose = (text: string) =>
      this.dispatchEvent(new CustomEvent("action", { detail: text, bubbles: true, composed: true }));
    render(<View shown={this.#shown} root={this.#root} onAction={choose} />, this.#root);
  }

  disconnectedCallback(): void {
    render(null, this.#root);
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null): void {
    if (name === "lang") void setLanguage(value ?? "");
    else if (name === "words") this.#show({ words: value !== null });
    else this.viewer = value === null ? undefined : Number(value);
  }

  /** The position in JSON, as in position files and answers of a server. Throws an Error that names a wrong field. */
  get position(): object | undefined {
    return this.#given.position as object | undefined;
  }
  set position(position: object | undefined) {
    this.#show({ position: read(position) });
    this.#given.position = position;
  }

  /** The previous position; the board marks changes since then. Throws like `position`. */
  get previous(): object | undefined {
    return this.#given.previous as object | undefined;
  }
  set previous(previous: object | undefined) {
    this.#show({ previous: read(previous) });
    this.#given.previous = previous;
  }

  /** Cards other than those of the package, as the answer to `DescribeCatalogue` in JSON. */
  get catalogue(): object | undefined {
    return this.#given.catalogue as object | undefined;
  }
  set catalogue(catalogue: object | undefined) {
    this.#show({ catalogue: catalogue && readCatalogue(catalogue) });
    this.#given.catalogue = catalogue;
  }

  /** The actions to choose from; not set for a board without a list of actions. */
  get actions(): readonly BoardAction[] | undefined {
    return this.#given.actions as readonly BoardAction[] | undefined;
  }
  set actions(actions: readonly BoardAction[] | undefined) {
    this.#show({ actions: actions?.map(readAction) });
    this.#given.actions = actions;
  }

  /** The actions to mark, the best first. */
  get hints(): readonly Hint[] {
    return (this.#given.hints as readonly Hint[] | undefined) ?? NONE;
  }
  set hints(hints: readonly Hint[]) {
    this.#show({ marks: hints.map((hint, index) => ({ ...hint, rank: index + 1, best: !index }) as Mark) });
    this.#given.hints = hints;
  }

  /** The names of the players by seat; their colours where there is none. */
  get names(): readonly string[] {
    return this.#shown.value.names ?? NONE;
  }
  set names(names: readonly string[]) {
    this.#show({ names });
  }

  /** The seat of the reader; not set for an onlooker. Also an attribute. */
  get viewer(): number | undefined {
    return this.#shown.value.viewer;
  }
  set viewer(viewer: number | undefined) {
    this.#show({ viewer });
  }

  #show(change: Shown): void {
    this.#shown.value = { ...this.#shown.value, ...change };
  }

  /** The key that the search field of the list names. */
  #search(event: KeyboardEvent): void {
    const field = this.#root.getElementById("search");
    if (event.key !== "/" || !field || this.#root.activeElement === field) return;
    event.preventDefault();
    field.focus();
  }

  /** Take the properties that were set before this script was loaded. */
  #takeEarlier(): void {
    for (const name of PROPERTIES.filter((one) => Object.hasOwn(this, one))) {
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }
}

const read = (position: object | undefined): Position | undefined => position && readPosition(JSON.stringify(position));

function readAction(given: BoardAction): LegalAction {
  const { text = "", label = text } = ("text" in given ? given : (given as ListedAction).action) ?? {};
  const { probability } = given as ListedAction;
  const [kind = "", ...words] = text.split(" ");
  return create(LegalActionSchema, {
    action: { text, label },
    kind,
    arguments: words,
    ...(probability !== undefined && { probability: Number(probability) }),
  });
}

interface ViewProps {
  shown: Signal<Shown>;
  root: ShadowRoot;
  onAction(text: string): void;
}

function View({ shown, root, onAction }: ViewProps) {
  const { position, previous, actions, marks = NONE, names = NONE, viewer, words = false } = shown.value;
  const pointed = useSignal<string | undefined>(undefined);
  useFocusKept(root);
  if (!position || !knows("actions")) return null;
  const game = position.game.case ?? "";
  const catalogue = shown.value.catalogue ?? CATALOGUES[game]?.() ?? EMPTY;
  const seats = Array.from({ length: seatCount(position) }, (_, seat) => look(seat, names[seat]));
  const parts = {
    position,
    catalogue,
    marks,
    pointed: pointed.value,
    onAction,
    onPoint: (text: string | undefined) => {
      pointed.value = text;
    },
  };
  return (
    <div class="ground" lang={language.value} dir={isTurned.value ? "rtl" : "ltr"}>
      <p aria-live="polite">{summary(position, catalogue, seats)}</p>
      <Board
        {...parts}
        previous={previous}
        seats={seats}
        viewer={viewer}
        actions={actions ?? NONE}
        ghost={false}
        words={words}
      />
      {actions && (
        <Actions
          {...parts}
          game={game}
          actions={actions}
          ranked={marks.length > 0}
          busy={false}
          fresh={false}
          news=""
        />
      )}
    </div>
  );
}

if (!customElements.get("clerestory-board")) customElements.define("clerestory-board", ClerestoryBoard);

declare global {
  interface HTMLElementTagNameMap {
    "clerestory-board": ClerestoryBoard;
  }
}
