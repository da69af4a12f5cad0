// Chips, raw and turned, and seals.

import { say } from "../../language/texts.ts";
import { Picture } from "../art.tsx";
import type { SeatLook } from "../types.ts";

/** Raw kinds and what they become, in their order. */
export const KINDS = [
  ["wood", "beam"],
  ["sand", "mortar"],
  ["stone", "brick"],
  ["wool", "cloth"],
  ["ore", "bell"],
] as const;

// Raw chips are round, turned ones are square.
const FORMS: Record<string, string> = {
  wood: "M8 4.4a3.6 3.6 0 1 0 .1 0zM8 6.4a1.6 1.6 0 1 0 .1 0z",
  sand: "M3.4 11.4C5 8 6.6 5.6 8.2 5.6s3 2.4 4.4 5.8z",
  stone: "M4 10.6 5 6.8l3.2-2 3.6 2.4.4 3.6z",
  wool: "M4.6 10.4a2 2 0 0 1 .3-3.9 2.3 2.3 0 0 1 4.2-1 2.2 2.2 0 0 1 2.5 2.9 1.6 1.6 0 0 1-1 2z",
  ore: "M4 10.8 6.2 5l2 3 1.6-3.2 2.2 6z",
  beam: "M3 9.6 10.8 4l2.2 2.6-7.8 5.6zM5.2 12.2 3 9.6",
  mortar: "M3 7h10l-1.6 5H4.6zM5 7l3-3 3 3",
  brick: "M2.6 4.6h10.8v7H2.6zM2.6 8.1h10.8M6.2 4.6v3.5M10 8.1v3.5",
  cloth: "M4 3.6h8v9l-2-1.4-2 1.4-2-1.4-2 1.4zM4 6.6h8",
  bell: "M4 11.2C5.6 9.6 4.8 4.2 8 4.2s2.4 5.4 4 7zM7 12.6h2",
};

const CHIP = "M8 .8a7.2 7.2 0 1 1-.1 0z";
const TILE = "M1.4 1.4h13.2v13.2H1.4z";

/** A chip by its raw kind, or by what it has become. */
export function Chip({ kind }: { kind: string }) {
  const turned = KINDS.find(([, material]) => material === kind);
  return (
    <Picture class={`good chip of-${turned ? turned[0] : kind}`}>
      <path class="body" d={turned ? TILE : CHIP} />
      <path class="form" d={FORMS[kind] ?? ""} />
    </Picture>
  );
}

const WAX =
  "M12 1.6l2.8 1.8 3.3-.3 1.3 3 2.9 1.6-.4 3.3 1.4 3-2.3 2.4-.2 3.3-3.2 1-1.9 2.7L12 22.4l-3.7.7-1.9-2.7-3.2-1L3 16.1.7 13.7l1.4-3-.4-3.3 2.9-1.6 1.3-3 3.3.3z";

/** A seal with its two faces, or `?`; a personal one has the colour of its owner. */
export function Seal({ faces, owner }: { faces: string; owner?: SeatLook | undefined }) {
  return (
    <svg
      class={`seal ${owner ? `seat-${owner.colour}` : ""}`}
      viewBox="0 0 24 24"
      role="img"
      aria-label={say("camp.seal", { faces })}
    >
      <path d={WAX} />
      <circle cx="12" cy="12" r="7.6" />
      <text class={faces.length === 1 ? "large" : ""} x="12" y={faces.length === 1 ? 16.2 : 15.2} text-anchor="middle">
        {faces}
      </text>
    </svg>
  );
}
