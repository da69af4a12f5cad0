// The vocabulary of the card pictures: shapes of one colour with a thin outline, on a ground of 60 by 40.

/** A path and its colour; with a third part it is only a line of that width. */
export type Shape = readonly [path: string, colour: string, line?: number];
export type Shapes = readonly Shape[];

export const INK = "#2b211a";
export const SKINS = { fair: "#f2cba6", tan: "#dcaa80", dark: "#9a6a45" } as const;
export const WOOD = "#a66a3a";
export const PALE = "#f6f0e2";
export const STONE = "#b4b8bd";
export const SAND = "#e6c984";
export const IRON = "#6f8fae";
export const GOLD = "#e8b83a";
export const SKY = "#cfe3ef";
export const LEAF = "#5f8f5a";
export const WALL = "#d9cbb0";
export const NIGHT = "#3d4f6b";
export const SNOW = "#fafcff";
export const RED = "#a8452f";

/** The same shapes elsewhere: every path is one of relative steps after its first point. */
export const at = (x: number, y: number, shapes: Shapes): Shapes =>
  shapes.map(([path, colour, line]) => {
    const moved = path.replace(/M(-?[\d.]+) (-?[\d.]+)/g, (_, left, top) => `M${Number(left) + x} ${Number(top) + y}`);
    return line === undefined ? [moved, colour] : [moved, colour, line];
  });

export const disc = (x: number, y: number, r: number, colour: string): Shape => [
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  colour,
];

// -- grounds -------------------------------------------------------------------------------------------

const ground = (sky: string, floor: string): Shapes => [
  ["M0 0h60v40h-60z", sky],
  ["M0 31h60v9h-60z", floor],
];

export const GROUNDS = {
  workshop: ground("#ead9bb", "#c7a97c"),
  site: ground(SKY, "#cbb892"),
  meadow: [
    ["M0 0h60v40h-60z", SKY],
    ["M0 30q15-7 30-2t30-3v15h-60z", "#bcd0a3"],
  ],
  hall: [
    ...ground("#cdbfa6", "#a58f70"),
    ["M3 31v-17q6-9 12 0v17z", "#8d7a60"],
    ["M45 31v-17q6-9 12 0v17z", "#8d7a60"],
  ],
  chapel: [
    ["M0 0h60v40h-60z", "#d8d2e0"],
    ["M40 40v-22q7-14 14 0v22z", "#8fa9c9"],
    ["M47 11v29M40 22h14", INK, 0.7],
  ],
  forest: [
    ["M0 0h60v40h-60z", "#dbe8cd"],
    ["M-2 33l9-26 9 26zM40 33l9-28 10 28z", LEAF],
    ["M0 32h60v8h-60z", "#a9bf8c"],
  ],
  castle: [
    ["M0 0h60v40h-60z", "#dfd9d0"],
    ["M34 34v-22h4v4h4v-4h5v4h4v-4h5v4h4v18z", STONE],
    ["M0 33h60v7h-60z", "#a9a184"],
  ],
  fire: ground("#5a4038", "#3f2d28"),
  royal: ground("#8f3b46", "#6b2a34"),
  snow: [
    ["M0 0h60v40h-60z", "#aebfd2"],
    ["M0 28q15-8 30-2t30-4v18h-60z", SNOW],
  ],
} satisfies Record<string, Shapes>;

export type Ground = keyof typeof GROUNDS;

// -- people --------------------------------------------------------------------------------------------

export interface Person {
  skin?: keyof typeof SKINS;
  coat: string;
  apron?: boolean;
  hair?: readonly [style: keyof typeof HAIR, colour: string];
  beard?: string;
  hat?: readonly [style: keyof typeof HATS, colour: string];
  mouth?: "smile" | "stern" | "open";
  brows?: boolean;
}

const HAIR = {
  short: "M14.2 15.5c-1.4-11 17-11 15.6 0-2.6-5-4-6.2-7.8-6.2s-5.200 1.200-7.800 6.200z",
  bowl: "M13.6 18q-1.600-13 8.400-13t8.400 13l-2.400 0q0-6-3-6.600h-6q-3 .6-3 6.600z",
  ring: "M14.200 17q-1-7 2.600-9 5.200 2.600 10.400 0 3.600 2 2.600 9-1.600-4.400-3-5-4.800 1.600-9.600 0-1.400 .6-3 5z",
  long: "M12.600 27c-2.600-24 21.400-24 18.800 0l-3.600-1.600q3.400-14-5.800-14t-5.800 14z",
  wild: "M10.600 25q-1.600-4 1-6-2-3 1.200-5 0-4 3.600-4.600 1.600-4 5.600-3 4-1 5.600 3 3.600 .6 3.600 4.600 3.200 2 1.200 5 2.600 2 1 6l-5 2q2.600-14-6.400-14t-6.400 14z",
} as const;

const HATS = {
  cap: "M13.600 12.600q.4-9 8.400-9t8.400 9q-8.400-3-16.800 0z",
  straw: "M6 12.600q8-2.600 9-3.600 1-6.600 7-6.600t7 6.600q1 1 9 3.600-16 4.600-32 0z",
  hood: "M11.600 28q-4-25 10.400-25t10.400 25l-4-1.600q3-16-6.400-16t-6.400 16z",
  coif: "M13.200 19q-1.600-14.600 8.800-14.600t8.800 14.600l-2.200 1.600q.6-10.600-6.600-10.600t-6.600 10.600z",
  veil: "M11.400 31q-3-27 10.600-27t10.600 27l-4.200-2q3-18-6.400-18t-6.400 18z",
  crown: "M14.400 11l-1.400-7.600 4.600 3.200 4.400-5 4.400 5 4.600-3.200-1.400 7.600q-7.600-2-15.200 0z",
  mitre: "M14.400 11.600l1-8 6.600-4.600 6.600 4.600 1 8q-7.600-2.600-15.200 0z",
  helmet: "M13.400 14.400q-.6-11.400 8.600-11.400t8.600 11.400h-7.400v6h-2.400v-6z",
  beret: "M12.600 11.600q-1-8 9.400-8 10.400-.6 11.400 5.600-1 3-3.600 2.600-8-2-17.200-.200z",
  band: "M14 12q8-3.400 16 0v-2.600q-8-3.400-16 0z",
} as const;

/** Hair and hats that fall behind the shoulders are drawn after the coat and around the head. */
export function person({ skin = "fair", coat, apron, hair, beard, hat, mouth, brows }: Person): Shapes {
  const mouths = {
    smile: "M19.300 20.400q2.700 2.200 5.400 0",
    stern: "M19.600 21h4.800",
    open: "M20 20.400q2 3.400 4 0z",
  };
  return [
    ["M4 41c0-11 7-14.600 18-14.600s18 3.600 18 14.600z", coat],
    ...(apron ? ([["M14.600 29h14.800l2 12h-18.800z", PALE]] as const) : []),
    ["M19 22h6v5.400q-3 2.600-6 0z", SKINS[skin]],
    ["M22 6.600a7.400 8.800 0 0 1 0 17.600a7.400 8.800 0 0 1 0-17.600z", SKINS[skin]],
    ...(beard
      ? ([
          [
            "M14.700 15.600q-.7 12.400 7.300 12.400t7.300-12.400q-1.300 3.400-3.800 3.400h-7q-2.500 0-3.800-3.400z",
            beard,
          ],
        ] as const)
      : []),
    ...(hair ? ([[HAIR[hair[0]], hair[1]]] as const) : []),
    ...(hat ? ([[HATS[hat[0]], hat[1]]] as const) : []),
    ["M18.800 15.400v.1M25.200 15.400v.1", INK, 2],
    [mouths[mouth ?? "stern"], beard ? PALE : INK, 1],
    ...(brows ? ([["M16.600 12l4 1.400M27.400 12l-4 1.400", INK, 1]] as const) : []),
  ];
}

/** A small figure that stands on a point, as of workers and crowds. */
export const small = (x: number, y: number, coat: string): Shapes => [
  [`M${x - 4} ${y}q-.4-9 4-9t4 9z`, coat],
  disc(x, y - 11, 2.6, SKINS.fair),
];
