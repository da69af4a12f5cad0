// The picture of the lobby: the cathedral half built, its crews, and the town.

import { PARTS } from "../boards/cathedral/church.tsx";
import { INK, LEAF, type Shapes, STONE, small, WOOD } from "./shapes.ts";

const BUILT = 4; // of the six parts

const COATS = ["#d55e00", "#0072b2", "#009e73", "#c9a227", "#7a4a86", "#8a5a34"];

const crew = (places: readonly (readonly [number, number])[]): Shapes =>
  places.flatMap(([x, y], index) => small(x, y, COATS[index % COATS.length] ?? INK));

const TOWN: Shapes = [
  ["M-150 172v-22l14-12 14 12v22zM-118 172v-28l17-14 17 14v28zM-80 172v-18l12-10 12 10v18z", "#e2d3b4"],
  ["M-154 150l18-15 18 15zM-122 144l21-17 21 17zM-84 154l16-13 16 13z", "#8a4f3a"],
  ["M372 172v-24l16-13 16 13v24zM410 172v-18l12-10 12 10v18z", "#e2d3b4"],
  ["M368 148l20-16 20 16zM406 154l16-13 16 13z", "#8a4f3a"],
  ["M-48 174l11-34 11 34zM346 174l12-38 12 38zM442 174l10-30 10 30z", LEAF],
  ["M-10 178h22v-14h-22zM306 178h18v-10h-18z", STONE],
  ["M-14 182q3-14 12-14M326 182l-3-24M318 158h20v-3h-20z", WOOD, 2],
];

const SCAFFOLD =
  "M30 162V60M52 162V60M74 162V60M96 162V60M27 78h74M27 96h74M27 114h74M27 132h74M27 150h74M30 60l-16-12v18";

export default function Hero() {
  return (
    <svg class="hero" viewBox="-150 0 620 200" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <path class="hero-sky" d="M-700-200h1700v420h-1700z" />
      <circle class="hero-sun" cx="380" cy="40" r="20" />
      <path class="hero-far" d="M-700 150C-380 96-240 150-90 132S80 92 170 128s190-30 330-4 300-30 520 26v80h-1720z" />
      <path class="hero-near" d="M-700 176C-300 150-60 172 40 168s220-6 300 2 320-20 680 8v80h-1720z" />
      <g stroke={INK} stroke-width="0.9" stroke-linejoin="round" stroke-linecap="round">
        {PARTS.map(({ walls, roofs, glass, lines }, index) =>
          index < BUILT ? (
            <g key={walls}>
              <path d={walls} fill="#e9dfca" />
              <path d={roofs ?? ""} fill="#8a4f3a" />
              <path d={glass ?? ""} fill="#3f5870" />
              <path d={lines ?? ""} fill="none" />
            </g>
          ) : (
            <path key={walls} d={walls} fill="#e9dfca" fill-opacity="0.55" stroke-dasharray="3 2" />
          ),
        )}
        <path d={SCAFFOLD} fill="none" stroke={WOOD} stroke-width="2" />
        {[
          ...TOWN,
          ...crew([
            [42, 96],
            [84, 132],
            [-32, 182],
            [0, 164],
            [140, 188],
            [176, 190],
            [300, 186],
            [338, 184],
            [240, 190],
            [64, 190],
          ]),
        ].map(([path, colour, line]) => (
          <path
            key={path}
            d={path}
            fill={line === undefined ? colour : "none"}
            {...(line === undefined ? {} : { stroke: colour, "stroke-width": line })}
          />
        ))}
      </g>
    </svg>
  );
}
