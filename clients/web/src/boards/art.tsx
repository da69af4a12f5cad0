// Drawings used by both boards: cubes and chips, gold, points, pieces.

import type { ComponentChildren } from "preact";
import type { SeatLook } from "./types.ts";

interface Picture {
  class: string;
  box?: string;
  children: ComponentChildren;
}

/** A decorative picture, whose meaning is also given in words beside it. */
export function Picture({ class: name, box = "0 0 16 16", children }: Picture) {
  return (
    <svg class={name} viewBox={box} aria-hidden="true">
      {children}
    </svg>
  );
}

// Each kind has a distinct mark, so that it can be recognized without its colour.
const CUBE_MARKS: Record<string, string> = {
  sand: "M3.6 7.6v.1M5.8 9.2v.1M4 10.4v.1M10.4 9.2v.1M12.6 8v.1M11.6 11v.1M6.4 4.6v.1M9.8 4.6v.1",
  wood: "M2.6 6.9v4M4.6 8v4M6.3 8.8v4M9.7 8.8v4M11.4 8v4M13.4 6.9v4",
  stone: "M1 8.2 8 11.8l7-3.6M4.4 6.5v3.6M11.6 6.5v3.6",
};

/** A cube of sand, wood or stone, a bar of metal, a coin. */
export function Good({ kind }: { kind: string }) {
  if (kind === "gold") return <Coin />;
  if (kind === "vp") return <Point />;
  if (kind === "metal") return <Bar />;
  return (
    <Picture class={`good ${kind}`}>
      <path class="body" d="M8 1 15 4.6v7L8 15.2 1 11.6v-7z" />
      <path class="shade" d="M8 8.2 15 4.6v7L8 15.2z" />
      <path class="ink" d={`M1 4.6 8 8.2l7-3.6M8 8.2v7${CUBE_MARKS[kind] ?? ""}`} />
    </Picture>
  );
}

const Bar = () => (
  <Picture class="good metal">
    <path class="body" d="M4 4.5h8l3.4 8.4H.6z" />
    <path class="shade" d="M12 4.5l3.4 8.4H9.8L9 4.5z" />
    <path class="ink" d="M4 4.5h8l3.4 8.4H.6zM4.6 7.4h6.8" />
  </Picture>
);

export const Coin = () => (
  <Picture class="good gold">
    <circle class="body" cx="8" cy="8" r="7" />
    <circle class="ink" cx="8" cy="8" r="4.6" />
    <path class="ink" d="M8 5.4v5.2" />
  </Picture>
);

/** A victory point: a lancet window. */
export const Point = () => (
  <Picture class="good vp">
    <path class="body" d="M3 15.4V8C3 4.6 5.2 2 8 .6 10.8 2 13 4.6 13 8v7.4z" />
    <path class="ink" d="M8 1v14M3.4 9.4h9.2" />
  </Picture>
);

export const Worker = () => (
  <Picture class="good worker">
    <circle class="body" cx="8" cy="4" r="3" />
    <path class="body" d="M2.6 15.4C2.6 10 5 7.6 8 7.6s5.4 2.4 5.4 7.8z" />
  </Picture>
);

/** An arrow from one thing to another. */
export const Arrow = () => (
  <Picture class="arrow">
    <path d="M1 8h11M8.4 3.6 13 8l-4.6 4.4" />
  </Picture>
);

const BODIES = {
  disc: "M12 9.6a10 10 0 0 1 0 20 10 10 0 0 1 0-20z",
  square: "M3 10.6h18v18.4H3z",
  triangle: "M12 6.4 23.4 29.4H.6z",
  diamond: "M12 7.6 23.2 18.9 12 30.2.8 18.9z",
};

/** A piece of a seat: the head of a master builder over the seat's shape, with its letter. */
export function Builder({ look, title }: { look: SeatLook | undefined; title?: string | undefined }) {
  if (!look) return null;
  return (
    <svg class={`builder seat-${look.colour}`} viewBox="0 0 24 31" role="img" aria-label={title ?? look.name}>
      <path d={BODIES[look.shape]} />
      <circle cx="12" cy="5.4" r="4.4" />
      <text x="12" y={look.shape === "triangle" ? 27.6 : 24.4} text-anchor="middle">
        {look.letter}
      </text>
    </svg>
  );
}

const PIPS: Record<number, string> = {
  1: "8 8",
  2: "5 5,11 11",
  3: "4.6 4.6,8 8,11.4 11.4",
  4: "5 5,11 5,5 11,11 11",
  5: "4.8 4.8,11.2 4.8,8 8,4.8 11.2,11.2 11.2",
};

/** A die that shows a number, or none, and has perhaps just been rolled. */
export function Die({ shows, rolled = false }: { shows: number; rolled?: boolean }) {
  const pips = PIPS[shows]?.split(",").map((pip) => pip.split(" ")) ?? [];
  return (
    <Picture class={rolled ? "die rolled" : "die"}>
      <rect x="1" y="1" width="14" height="14" rx="3" />
      {pips.map(([x, y]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r="1.5" />
      ))}
    </Picture>
  );
}
