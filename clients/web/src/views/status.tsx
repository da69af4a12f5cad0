// The top line: whose turn it is, what is to be decided, the menu. Its height is the same whatever it says.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { say } from "../texts.ts";

interface Props {
  turn: string;
  line: string;
  mine: boolean;
  menu: ComponentChildren;
}

export function Status({ turn, line, mine, menu }: Props) {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    open.value = false;
  };
  return (
    <header class={mine ? "status mine" : "status"}>
      <div class="stands">
        <h1 class="turn">{turn}</h1>
        <p title={line}>{line}</p>
      </div>
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
      >
        {say("menu")}
      </button>
      <div
        role="group"
        aria-label={say("menu")}
        class={open.value ? "menu open" : "menu"}
        onClick={close}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !open.value) return;
          close();
          button.current?.focus();
        }}
      >
        {menu}
      </div>
    </header>
  );
}
