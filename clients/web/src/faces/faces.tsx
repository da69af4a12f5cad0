// The faces of the opponents: each a head and shoulders in a round, of simple shapes, in three moods.

import type { ComponentChildren } from "preact";

interface Looks {
  ground: string;
  skin: string;
  coat: string;
  /** Behind the head: hair, a veil, a hood. */
  behind?: ComponentChildren;
  /** Before the head: hat, hair, beard. */
  before?: ComponentChildren;
  /** The mouth. */
  mouth: string;
  brows?: string;
}

const INK = "#2b211a";

export type Mood = "glad" | "calm" | "glum";

// Mouths and brows; those of a calm face are its own.
const MOUTHS = { glad: "M27.400 35.600q4.600 5 9.200 0", glum: "M28 38.600q4-3.600 8 0" };
const BROWS = {
  glad: "M24.600 24.800q2.200-2 4.400 0M35 24.800q2.200-2 4.400 0",
  glum: "M24.400 26.600l4.600-2.200M39.600 26.600l-4.600-2.200",
};

const draw =
  ({ ground, skin, coat, behind, before, mouth, brows }: Looks) =>
  (mood: Mood) => (
    <>
      <circle cx="32" cy="32" r="32" fill={ground} />
      {behind}
      <path d="M10 58a22 18 0 0 1 44 0a32 32 0 0 1-44 0z" fill={coat} />
      <path d="M26 38h12v8a6 5 0 0 1-12 0z" fill={skin} />
      <ellipse cx="32" cy="29" rx="12" ry="14" fill={skin} />
      <circle cx="27.4" cy="29" r="1.6" fill={INK} />
      <circle cx="36.6" cy="29" r="1.6" fill={INK} />
      <g fill="none" stroke={INK} stroke-width="1.5" stroke-linecap="round">
        <path d={mood === "calm" ? mouth : MOUTHS[mood]} />
        <path d="M32 30l-1.4 4h2" stroke-width="1.1" />
        <path d={mood === "calm" ? (brows ?? "M25 25.6h4M35 25.6h4") : BROWS[mood]} />
      </g>
      {before}
    </>
  );

export const FACES: Readonly<Record<string, (mood: Mood) => ComponentChildren>> = {
  perkin: draw({
    ground: "#dfe8c9",
    skin: "#f0c8a0",
    coat: "#7d8f4e",
    mouth: "M28 37q4 4 8 0",
    before: (
      <>
        <path d="M8 21q24-8 48 0q-24 6-48 0z" fill="#e3b64f" />
        <path d="M21 18q2-13 11-13t11 13q-11 4-22 0z" fill="#edc769" />
        <path d="M21 17.5q11 4 22 0" stroke="#a8452f" stroke-width="2.4" fill="none" />
      </>
    ),
  }),
  mabel: draw({
    ground: "#f3dcc6",
    skin: "#f4cfae",
    coat: "#a8452f",
    mouth: "M28 36.5q4 3 8 0",
    behind: <path d="M15 34q0-27 17-27t17 27l-3 14H18z" fill="#fffaf0" />,
    before: (
      <>
        <circle cx="24.5" cy="33.5" r="2.4" fill="#e39a86" opacity=".7" />
        <circle cx="39.5" cy="33.5" r="2.4" fill="#e39a86" opacity=".7" />
        <path d="M19 25q1-13 13-13t13 13q-5-6-13-6t-13 6z" fill="#fffaf0" stroke="#d8cbb5" />
        <path d="M24 50h16v12H24z" fill="#fffaf0" />
      </>
    ),
  }),
  ubald: draw({
    ground: "#e6d3bf",
    skin: "#d9a27a",
    coat: "#7a5236",
    mouth: "M29 36h6",
    brows: "M24 25l5 1M40 25l-5 1",
    before: (
      <>
        <path d="M20 30q0 20 12 20t12-20q-2 4-6 4h-12q-4 0-6-4z" fill="#5d3a21" />
        <path d="M28.5 38.5h7" stroke="#f0d9c4" stroke-width="1.8" stroke-linecap="round" />
        <path d="M20 22q12-5 24 0" stroke="#8e2f22" stroke-width="3" fill="none" />
      </>
    ),
  }),
  linnet: draw({
    ground: "#cfe3dc",
    skin: "#f6d3b3",
    coat: "#2f6b58",
    mouth: "M28 37q5 2.5 8-1.5",
    brows: "M24.5 26h4.5M35 24.5q2.5-1.5 4.5 0",
    behind: <path d="M17 46q-4-32 15-32t15 32q-6 6-15 6t-15-6z" fill="#b5532a" />,
    before: (
      <>
        <path d="M17 22q6-14 26-9l4 8q-15-4-30 1z" fill="#2f6b58" />
        <path d="M42 14q10-12 14-8q0 7-12 10z" fill="#e9c54a" />
      </>
    ),
  }),
  corwin: draw({
    ground: "#cdd9ea",
    skin: "#e8bd96",
    coat: "#2d4a7a",
    mouth: "M29 36.5q3 1 6 0",
    behind: <path d="M14 48q-2-40 18-42q20 2 18 42z" fill="#38598f" />,
    before: (
      <>
        <path d="M19 31q-1-19 13-20q14 1 13 20q-2-12-13-13q-11 1-13 13z" fill="#2d4a7a" />
        <path d="M28 40h8l-4 8z" fill="#3a2a1c" />
        <path d="M28 35q4-2.5 8 0" stroke="#3a2a1c" stroke-width="1.8" fill="none" />
        <circle cx="32" cy="54" r="3.5" fill="#e3b64f" />
      </>
    ),
  }),
  theda: draw({
    ground: "#f0dfb4",
    skin: "#9a6a45",
    coat: "#7c2f5b",
    mouth: "M28 36.5q4 3.5 8 0",
    behind: <path d="M18 44q-3-26 14-26t14 26z" fill="#2a1c14" />,
    before: (
      <>
        <path d="M18 24q-2-18 14-18t14 18q-14-8-28 0z" fill="#d9922e" />
        <path d="M19 20q13-9 26-1M23 10q10 2 20 8" stroke="#b06f18" stroke-width="1.6" fill="none" />
        <circle cx="19.5" cy="36" r="2.2" fill="#f2cf5b" />
        <circle cx="44.5" cy="36" r="2.2" fill="#f2cf5b" />
      </>
    ),
  }),
  tancred: draw({
    ground: "#dcd8d0",
    skin: "#eec6a4",
    coat: "#3b3632",
    mouth: "M29 37h6",
    behind: <path d="M12 60q0-22 20-22t20 22z" fill="#55504a" />,
    before: (
      <>
        <path d="M19 29q-3-15 13-16q16 1 13 16q-1-8-5-10q-8-3-16 0q-4 2-5 10z" fill="#8d877e" />
        <ellipse cx="32" cy="16" rx="8" ry="2.8" fill="#eec6a4" />
        <path d="M32 48v10M28.5 51.5h7" stroke="#d8b45a" stroke-width="2" />
      </>
    ),
  }),
  ottilie: draw({
    ground: "#e3d3e6",
    skin: "#f1cdb0",
    coat: "#5a3b75",
    mouth: "M28.5 37q3.5 2 7 0",
    behind: (
      <>
        <circle cx="32" cy="10" r="6.5" fill="#b9b4b0" />
        <path d="M18 36q-2-22 14-22t14 22z" fill="#b9b4b0" />
      </>
    ),
    before: (
      <>
        <path d="M19 26q1-12 13-12t13 12q-5-7-13-7t-13 7z" fill="#c9c4c0" />
        <path d="M20 21.5q12-5 24 0" stroke="#e3b64f" stroke-width="2.2" fill="none" />
        <path d="M32 49l-5 11M32 49l5 11" stroke="#e3b64f" stroke-width="1.8" fill="none" />
        <circle cx="32" cy="48.5" r="1.8" fill="#e3b64f" />
      </>
    ),
  }),
};
