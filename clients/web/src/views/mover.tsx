// Who makes a move: the symbol, and the name for those who do not see it.

import type { SeatLook } from "../boards/types.ts";
import { say } from "../language/texts.ts";
import { SeatSign } from "../parts/parts.tsx";

export function Mover({ look }: { look: SeatLook | undefined }) {
  return (
    <>
      {look ? <SeatSign look={look} /> : <LuckSign />}
      <span class="unseen">{look?.name ?? say("nature")}: </span>
    </>
  );
}

/** The symbol of luck: a die. */
function LuckSign() {
  return (
    <svg class="sign luck" viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1.5" y="1.5" width="13" height="13" rx="3" />
      <circle cx="5" cy="5" r="1.4" />
      <circle cx="8" cy="8" r="1.4" />
      <circle cx="11" cy="11" r="1.4" />
    </svg>
  );
}
