// Screens that cannot be shown, or not yet.

import type { ComponentChildren } from "preact";
import { say } from "../language/texts.ts";
import { away } from "../service/files.ts";
import { retried } from "../service/insist.ts";
import { Trouble } from "./parts.tsx";

/** Shown while something is loading, and if it cannot be loaded. */
export function Opening({ trouble }: { trouble: string }) {
  const words = trouble || (away.value ? retried(say("trouble.unreachable")) : "");
  return (
    <Blank>
      <Trouble words={words} />
      {!words && <p aria-busy="true">{say("opening")}</p>}
    </Blank>
  );
}

/** A screen that cannot be shown, or not yet: why, and the way back. */
export const Blank = ({ children }: { children: ComponentChildren }) => (
  <main class="page">
    {children}
    <a href="#/">{say("to_lobby")}</a>
  </main>
);
