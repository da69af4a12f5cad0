// What explains the board: by a key, by resting on a part of it, or by pressing one. The explanations are loaded when they
// are first wanted.

import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Catalogue } from "../boards/types.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import { say } from "../language/texts.ts";
import { useLater } from "../service/loading.ts";

export interface Explained {
  position: Position;
  catalogue: Catalogue;
  viewer?: number | undefined;
  actions: readonly LegalAction[];
}

/** The scope of explanations: nothing, everything in a dialog, or the part that is pressed. */
export const explaining = signal<"nothing" | "everything" | "pressed">("nothing");

/** A part of the board, and where it is. */
export interface Part {
  place: string;
  at: DOMRect;
}

const REST = 900; // milliseconds that the pointer must rest on a part before it is explained

export const explain = (): void => {
  explaining.value = explaining.value === "nothing" ? "everything" : "nothing";
};

const stop = (): void => {
  explaining.value = "nothing";
};

/** The buttons of the menu. */
export const ExplainButtons = () => (
  <>
    <button type="button" onClick={explain}>
      {say("menu.explain")} <kbd>i</kbd>
    </button>
    <button type="button" onClick={() => (explaining.value = "pressed")}>
      {say("menu.what")}
    </button>
  </>
);

async function loaded() {
  const module = await import("./explanations.tsx");
  await module.load();
  return module;
}

export function Explainer(props: Explained) {
  const part = useSignal<Part | undefined>(undefined);
  useEffect(() => watch(part), []);
  const wanted = explaining.value !== "nothing" || part.value !== undefined;
  const View = useLater(loaded, wanted);
  useEffect(() => stop, []);
  if (!View || !wanted) return null;
  const close = () => {
    part.value = undefined;
    stop();
  };
  return <View {...props} part={part.value} onClose={close} />;
}

/** Note the part of the board under the resting pointer, or the part pressed while explanations are on. */
function watch(part: { value: Part | undefined }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let under: HTMLElement | undefined; // the part under the pointer; it is explained once the pointer has moved
  let last = "";
  const found = (event: Event) =>
    (event.target as Element | null)?.closest?.<HTMLElement>(":is(.board, .purse-line) [data-about]");
  const tell = (one: HTMLElement) => {
    part.value = { place: one.dataset.about ?? "", at: one.getBoundingClientRect() };
  };
  const rest = (event: PointerEvent) => {
    clearTimeout(timer);
    under = undefined;
    const one = found(event);
    if (event.pointerType !== "mouse" || explaining.value === "everything") return;
    if (!one) part.value = undefined;
    under = one && one.dataset.about !== part.value?.place ? one : undefined;
  };
  const move = ({ screenX, screenY }: PointerEvent) => {
    const at = `${screenX} ${screenY}`;
    if (at === last) return; // the page has moved under it
    last = at;
    const one = under;
    under = undefined;
    if (one) timer = setTimeout(() => tell(one), REST);
  };
  const press = (event: MouseEvent) => {
    clearTimeout(timer);
    const one = found(event);
    if (explaining.value !== "pressed") part.value = undefined;
    else if (one) {
      event.preventDefault();
      event.stopPropagation();
      tell(one);
    }
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    part.value = undefined;
    if (explaining.value === "pressed") stop();
  };
  addEventListener("pointerover", rest);
  addEventListener("pointermove", move);
  addEventListener("click", press, true);
  addEventListener("keydown", leave);
  return () => {
    clearTimeout(timer);
    removeEventListener("pointerover", rest);
    removeEventListener("pointermove", move);
    removeEventListener("click", press, true);
    removeEventListener("keydown", leave);
  };
}
