// The top line: whose turn it is, the decision, the menu. Its height never changes.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../language/texts.ts";

interface Props {
  turn: string;
  line: string;
  mine: boolean;
  clock?: ComponentChildren;
  menu: ComponentChildren;
}

export function Status({ turn, line, mine, clock, menu }: Props) {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    open.value = false;
  };
  useLayoutEffect(() => {
    // at once: a key pressed as soon as it is seen must close it
    if (!open.value) return undefined;
    const press = (event: Event) => {
      if ((event.target as Element).closest(".menu, .menu-button")) return;
      event.preventDefault(); // it closes the menu, and plays nothing that lies beside it
      event.stopPropagation();
      close();
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      close();
      button.current?.focus();
    };
    addEventListener("click", press, true);
    addEventListener("keydown", key);
    return () => {
      removeEventListener("click", press, true);
      removeEventListener("keydown", key);
    };
  }, [open.value]);
  return (
    <header class={mine ? "status mine" : "status"}>
      <div class="stands">
        <h1 class="turn">{turn}</h1>
        <p title={line}>{line}</p>
      </div>
      {clock}
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
      >
        {say("menu")}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: what is in it can be pressed, by keys as well */}
      <div role="group" aria-label={say("menu")} class={open.value ? "menu open" : "menu"} onClick={close}>
        {menu}
      </div>
    </header>
  );
}
