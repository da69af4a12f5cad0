// The cathedral of Kingsbridge: it grows by one part each round; the parts to come are drawn as a plan.

import { Picture } from "../art.tsx";

interface Part {
  walls: string;
  roofs?: string;
  glass?: string;
  lines?: string;
  /** Where its scaffold stands: left, top, right, bottom. */
  scaffold: [number, number, number, number];
}

/** A lancet window that stands on a point. */
const lancet = (x: number, y: number, w: number, h: number) =>
  `M${x} ${y}v${-h}q0 ${-w} ${w / 2} ${-1.3 * w}q${w / 2} ${0.3 * w} ${w / 2} ${1.3 * w}v${h}z`;

/** The same several times, side by side. */
const row = (count: number, step: number, x: number, y: number, w: number, h: number) =>
  Array.from({ length: count }, (_, index) => lancet(x + index * step, y, w, h)).join("");

// By round: foundation, choir, nave, roof and transept, towers, spires.
export const PARTS: Part[] = [
  {
    walls: "M12 178v-6h296v6zM24 172v-10h272v10z",
    glass: row(9, 28, 44, 172, 7, 2),
    lines: "M24 167h272",
    scaffold: [16, 150, 304, 178],
  },
  {
    walls: "M222 162v-56h42l24 9v47z",
    roofs: "M219 106l9-28h36l27 37-27-9z",
    glass: row(2, 16, 231, 150, 8, 26) + lancet(271, 152, 7, 24),
    lines: "M222 154h66M264 106v56M264 78v28",
    scaffold: [222, 72, 296, 162],
  },
  {
    walls: "M92 162v-30h132v30zM98 122v-24h122v24zM96 162v-38h5v38zM121 162v-38h5v38zM146 162v-38h5v38z",
    roofs: "M88 133l9-12h126l5 12z",
    glass: row(3, 25, 107, 155, 9, 10) + row(6, 13, 103, 117, 6, 8),
    lines: "M92 158h86",
    scaffold: [94, 92, 178, 162],
  },
  {
    walls: "M178 162V98l23-32 23 32v64z",
    roofs: "M90 98l8-28h106l-26 28zM176 101l25-35 25 35 3-3-28-39-28 39z",
    glass: `M201 92a10 10 0 1 1-.1 0z${row(2, 13, 191, 148, 7, 18)}`,
    lines: "M201 92v20M191 102h20M194 95l14 14M208 95l-14 14M178 154h46",
    scaffold: [90, 62, 228, 100],
  },
  {
    walls: "M34 162V72h27v90zM66 162V72h27v90zM61 162v-62h5v62z",
    roofs: "M31 72v-6h33v6zM63 72v-6h33v6z",
    glass: `${row(2, 10, 40, 104, 6, 18)}${row(2, 10, 72, 104, 6, 18)}${lancet(43, 162, 10, 16)}${lancet(75, 134, 10, 12)}`,
    lines: "M34 112h27M66 112h27M34 140h27M66 140h27",
    scaffold: [30, 64, 98, 162],
  },
  {
    walls: "M194 60h14v8h-14z",
    roofs: "M33 66l14.5-48L62 66zM65 66l14.5-48L94 66zM193 61l8-37 8 37z",
    lines: "M47.5 18V8M44 11.5h7M79.5 18V8M76 11.5h7M201 24V12M197.5 16h7M40 42h15M72 42h15",
    scaffold: [30, 16, 98, 66],
  },
];

/** Poles and planks. */
function Scaffold({ box: [left, top, right, bottom] }: { box: Part["scaffold"] }) {
  const poles = Array.from({ length: Math.floor((right - left) / 22) + 1 }, (_, index) => left + index * 22);
  const planks = Array.from({ length: Math.floor((bottom - top) / 18) + 1 }, (_, index) => top + index * 18);
  return (
    <path
      class="scaffold"
      d={[
        ...poles.map((x) => `M${x} ${top - 6}V${bottom}`),
        ...planks.map((y) => `M${left - 3} ${y}H${poles[poles.length - 1] ?? right}`),
        `M${left} ${top - 6}l-14-10M${left - 14} ${top - 16}v14`,
      ].join("")}
    />
  );
}

// Drawing order: the nave is behind the transept, spires are on top of towers.
const ORDER = [1, 2, 3, 4, 5, 0];

/** The cathedral in a round of the game; finished when the game is over. */
export function Church({ round, finished }: { round: number; finished: boolean }) {
  const state = (index: number) => (index < round - 1 || finished ? "built" : index === round - 1 ? "rising" : "plan");
  const order = [...ORDER].sort((one, other) => Number(other >= round) - Number(one >= round));
  const rising = finished ? undefined : PARTS[round - 1];
  return (
    <Picture class={finished ? "church finished" : "church"} box="0 0 320 190">
      <circle class="sun" cx="276" cy="34" r="13" />
      <path class="far" d="M-600 150C-380 96-240 150-90 132S80 92 170 128s190-30 330-4 300-30 420 26v60H-600z" />
      <path class="near" d="M-600 176C-300 150-60 172 40 168s220-6 300 2 320-20 580 8v60H-600z" />
      <path class="far" d="M-90 34q4-10 14-6 6-10 16-2 12-2 12 8zM196 24q3-7 10-4 5-7 12-1 9-1 9 5z" opacity=".6" />
      <path
        class="trees"
        d="M-62 174l12-30 12 30zM-40 176l9-24 9 24zM-90 172l8-22 8 22zM336 176l9-26 9 26zM352 174l12-32 12 32z"
      />
      <path class="huts" d="M396 172v-12l9-8 9 8v12zM420 174v-15l11-9 11 9v15zM-140 172v-12l9-8 9 8v12z" />
      {order.map((index) => (
        <g key={index} class={`part ${state(index)}`}>
          <path class="wall" d={PARTS[index]?.walls} />
          <path class="roof" d={PARTS[index]?.roofs ?? ""} />
          <path class="glass" d={PARTS[index]?.glass ?? ""} />
          <path class="joint" d={PARTS[index]?.lines ?? ""} />
        </g>
      ))}
      {rising && <Scaffold box={rising.scaffold} />}
    </Picture>
  );
}
