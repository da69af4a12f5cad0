// Scenes without a single person in front: events, goods, markets.

import { PROPS } from "./props.ts";
import {
  at,
  disc,
  GOLD,
  GROUNDS,
  INK,
  IRON,
  LEAF,
  NIGHT,
  PALE,
  person,
  RED,
  SAND,
  type Shapes,
  SKINS,
  SNOW,
  STONE,
  small,
  WALL,
  WOOD,
} from "./shapes.ts";

const coins = (count: number): Shapes =>
  Array.from({ length: count }, (_, index) => {
    const row = index < 3 ? 0 : 1;
    const place = row ? index - 3 + (count === 4 ? 1 : count === 5 ? 0.5 : 0) : index;
    const [x, y] = [18 + 12 * place, 28 - 11 * row];
    return [disc(x, y, 5.6, GOLD), disc(x, y, 3.2, "#f4d27a"), [`M${x} ${y - 1.6}v3.2`, INK, 1] as const];
  }).flat();

const purse: Shapes = [
  ["M0 0h60v40h-60z", "#5d4a6b"],
  ["M0 33h60v7h-60z", "#453653"],
];

const SHEEP = PROPS.sheep;
const CHURCH: Shapes = [
  ["M10 34v-20h9v20zM19 34v-12h24v12z", WALL],
  ["M8.500 14l6-11 6 11zM19 22l3-6h20l4 6z", "#8a4f3a"],
  ["M13 20v5h3v-5zM23 26v5h3v-5zM30 26v5h3v-5zM37 26v5h3v-5z", "#3f5870"],
];
const TENT: Shapes = [
  ["M22 16l8-11h20l8 11z", RED],
  ["M29 16l4-11h6v11zM47 16l-2-11h-6v11z", PALE],
  ["M25 16v18M55 16v18", WOOD, 2],
  ["M22 27h36v8h-36z", WOOD],
];

const market = (stalls: Shapes): Shapes => [...GROUNDS.meadow, ...TENT, ...stalls];
const box = (x: number, y: number, colour: string): Shapes => [[`M${x} ${y}h5v5h-5z`, colour]];
const goods: Shapes = [...box(28, 22, SAND), ...box(35, 22, WOOD), ...box(42, 22, STONE)];

const TREES: Shapes = [
  ["M8 33l8-24 8 24zM34 33l9-28 9 28z", LEAF],
  ["M22 34l7-20 7 20z", "#4c7a4a"],
  ["M16 33v4M43 33v4M29 34v4", WOOD, 2.4],
];
const CLIFF: Shapes = [
  ["M2 35v-12h10v-9h13v-8h17v9h9v10h9v10z", STONE],
  ["M12 23v12M25 14v9M42 15v10M25 23h17M12 29h16M42 29h10", INK, 0.7],
];
const DUNES: Shapes = [
  ["M2 35c7-11 12-19 20-19 8 0 9 8 13 8 4 0 6-5 11-5 7 0 10 8 13 16z", SAND],
  ["M14 28v.1M20 23v.1M27 30v.1M40 30v.1M48 26v.1", "#a8863c", 1.6],
];
const MINE: Shapes = [
  ["M2 36q10-30 28-30t28 30z", "#7b6a5c"],
  ["M21 36v-15q9-9 18 0v15z", "#2c2522"],
  ["M21 36v-15M39 36v-15M19 21h22", WOOD, 2.4],
  ["M26 29h9l-2 7h-5z", IRON],
];

/** A place where workers fetch something, with as many of them as are sent. */
export const SITES: Readonly<Record<string, Shapes>> = {
  wood: [...GROUNDS.meadow, ...TREES],
  stone: [...GROUNDS.site, ...CLIFF],
  sand: [...GROUNDS.site, ...DUNES],
};

const COATS = [RED, "#2f5f9a", "#4c7a4a", "#6b4a7a", "#8a6a2f", "#3f5f63"];

export const workersAt = (count: number): Shapes =>
  Array.from({ length: count }, (_, index) =>
    small(
      30 + (index - (count - 1) / 2) * Math.min(10, 52 / count),
      index % 2 ? 36.5 : 39.5,
      COATS[index % COATS.length] ?? RED,
    ),
  ).flat();

const crowd = [0, 1, 2, 3, 4].flatMap((index) => small(10 + 10 * index, index % 2 ? 34 : 38, COATS[index] ?? RED));

export const SCENES: Readonly<Record<string, Shapes>> = {
  tax_exemption: [
    ...GROUNDS.hall,
    ...at(-30, 2, PROPS.scroll),
    ...at(0, 0, PROPS.coins),
    ["M38 20l20 17M58 20l-20 17", RED, 2.6],
  ],
  crying_madonna: [
    ["M0 0h60v40h-60z", NIGHT],
    disc(30, 14, 12, GOLD),
    ...at(8, 0, person({ coat: "#3f6aa8", hat: ["veil", "#5d8ac8"] })),
    ["M26.600 18l-.6 5M33.400 18l.6 5", "#9fd4f5", 1.6],
  ],
  wool_fair: [
    ...market(at(-1, 0, [["M29 21q3-3 6 0 4-1 4 3 0 3-5 3-6 0-5-6zM42 21q3-3 6 0 4-1 4 3 0 3-5 3-6 0-5-6z", SNOW]])),
    ...at(-33, 2, SHEEP),
  ],
  toledo: [
    ["M0 0h60v40h-60z", "#f3c98b"],
    disc(47, 11, 5.6, "#fbeab0"),
    ["M4 35v-14q6-9 12 0v14zM16 35v-9h14v9zM30 35v-18q7-10 14 0v18zM44 35v-9h12v9z", "#e8dcc0"],
    ["M4 21q6-11 12 0zM30 17q7-12 14 0z", "#b8663c"],
    ["M8 35v-7h4v7zM20 32v-4h3v4zM35 35v-9h4v9zM48 32v-4h3v4z", NIGHT],
    ["M0 35h60v5h-60z", "#c79a5c"],
  ],
  completion: [
    ...GROUNDS.meadow,
    ...CHURCH,
    ["M44 35v-28M52 35v-28M42 12h12M42 20h12M42 28h12", WOOD, 1.6],
    ...small(49, 20, RED),
  ],
  celebrations: [
    ...GROUNDS.meadow,
    ["M0 5q30 12 60 0", INK, 0.8],
    ["M6 7l6 2-4 7zM30 11h7l-3 7zM52 8l6-2-1 8z", RED],
    ["M17 9.500l7 1-4 7zM42 10.500l7-2-2 8z", GOLD],
    ["M22 24h16v13h-16z", WOOD],
    ["M22 28h16M22 33h16", IRON, 1.6],
    ...small(12, 38, "#2f5f9a"),
    ...small(48, 38, "#4c7a4a"),
  ],
  quarrel: [
    ...GROUNDS.chapel.slice(0, 1),
    ...at(-7, 3, person({ coat: "#3b3632", hair: ["ring", "#5d3a21"], mouth: "open", brows: true })),
    ...at(23, 3, person({ coat: "#6b2a6b", hat: ["mitre", PALE], mouth: "open", brows: true })),
    ["M32 3l-5 8h4l-3 8 8-10h-4l4-6z", GOLD],
  ],
  town_wall: [
    ...GROUNDS.meadow,
    ["M0 36v-18h5v4h5v-4h5v4h5v-4h5v-8h4v3h4v-3h5v8h5v4h5v-4h5v4h7v14z", STONE],
    ["M26 36v-8q4-6 8 0v8z", WOOD],
    ["M0 27h24M38 27h22M7 22v5M16 27v5M46 22v5M53 27v5", INK, 0.7],
  ],
  cold_winter: [
    ...GROUNDS.snow,
    ["M16 36v-20M16 26l-7-7M16 22l7-8M16 18l-4-6", "#5d4a3c", 2],
    ["M36 33v-7l8-7 8 7v7z", WOOD],
    ["M34 26l10-9 10 9-2 1-8-7-8 7z", SNOW],
    ["M6 6v.1M14 4v.1M24 9v.1M33 5v.1M42 10v.1M52 6v.1M29 17v.1M56 15v.1M4 17v.1", SNOW, 3],
  ],
  roof_collapse: [
    ["M0 0h60v40h-60z", "#c9c2cf"],
    ...CHURCH.slice(0, 1),
    ["M8.500 14l6-11 6 11zM19 22l3-6h6l-2 4 3 2zM37 22l2-6h3l4 6z", "#8a4f3a"],
    CHURCH[2] as Shapes[number],
    ["M27 20l4-7 2 3zM33 19l5-9 1 5z", "#8a4f3a"],
    ["M24 36l3-4 5 1 3-3 6 4 3-1 3 4z", STONE],
    ["M0 36h60v4h-60z", "#9a9384"],
  ],
  kings_favour: [
    ...GROUNDS.royal,
    ["M8 27q22-6 44 0v8q-22 4-44 0z", "#3f5f9a"],
    ...at(8, 14, [["M10 11l-2-11 8 5 6-8 6 8 8-5-2 11q-12-3-24 0z", GOLD]]),
    disc(30, 21, 1.8, RED),
  ],
  richards_gift: [
    ...GROUNDS.hall,
    ["M18 22h26v14h-26z", WOOD],
    ["M18 22q13-12 26 0z", "#8a5a34"],
    ["M22 22l3-5h12l3 5z", IRON],
    ["M29 25h4v5h-4z", GOLD],
  ],
  philips_wool: [...GROUNDS.meadow, ...at(-30, 0, SHEEP), ...at(-8, 3, SHEEP), ...at(6, 0, PROPS.cross)],
  volunteers: [
    ...GROUNDS.site,
    ...crowd,
    ["M15 36l3-14M35 36l3-14M55 37l-2-14", WOOD, 1.8],
    ["M16 20l6 1-1 3-6-1zM36 20l6 1-1 3-6-1z", IRON],
  ],
  archbishops_blessing: [
    ["M0 0h60v40h-60z", "#e6d5a8"],
    ["M30 18l-30-12v8zM30 18l30-12v8zM30 18l-30 20h9zM30 18l30 20h-9zM30 18l-5-18h10z", "#f7edc9"],
    ["M25 39v-12q-3-4 0-9h2v-8q1.500-2 3 0v6-9q1.500-2 3 0v9l2 1q3 1 2 6-1 5-3 7v9z", SKINS.fair],
  ],
  hamleigh_levy: [
    ...GROUNDS.castle,
    ...person({ coat: "#4a4f57", hat: ["helmet", "#9aa5b0"], beard: "#5d3a21", mouth: "stern", brows: true }),
    ...PROPS.purse,
  ],
  // of Builders Duel
  power: [
    ...GROUNDS.royal,
    ...at(-22, 8, [["M32 23l-3-17 10 7 9-12 9 12 10-7-3 17q-16-4-32 0z", GOLD]]),
    disc(26, 26, 2, RED),
    ...at(4, 0, PROPS.sceptre),
  ],
  income_4: [...purse, ...coins(4)],
  income_5: [...purse, ...coins(5)],
  income_6: [...purse, ...coins(6)],
  influence: [
    ...GROUNDS.hall,
    ["M12 8h30v24h-30z", PALE],
    ["M17 14h20M17 19h20M17 24h12", INK, 0.8],
    ["M38 24l-4 14 6-3 6 3-3-14z", RED],
    disc(40, 25, 7, "#b03a2a"),
    disc(40, 25, 3.6, "#c9604f"),
  ],
  wood: [...GROUNDS.meadow, ...TREES, ...at(-18, 1, PROPS.logs)],
  sand: [...GROUNDS.site, ...DUNES, ["M44 12l-8 22", WOOD, 2.2], ["M33 31h6l-1 7h-6z", IRON]],
  stone: [...GROUNDS.site, ...CLIFF, ["M20 30h16v9h-16z", "#d3d6da"]],
  wool: [...GROUNDS.meadow, ...at(-32, 2, SHEEP), ...at(-6, 0, SHEEP)],
  ore: [...GROUNDS.site, ...MINE],
  market_2: market(goods),
  market_3: [...market(goods), ...small(12, 38, "#2f5f9a")],
  storming_the_castle: [
    ["M0 0h60v40h-60z", "#e2b98a"],
    ["M10 36v-24h5v4h5v-4h5v4h6v-10h5v4h5v-4h5v30z", STONE],
    ["M24 36v-8q4-6 8 0v8z", "#3a2d24"],
    ["M41 5v-4l7 2-7 2", RED, 1],
    ["M8 38l14-26M13 39l13-25M11 33l5 1M14 27l5 1M17 21l5 1", WOOD, 1.6],
    ...small(53, 38, RED),
    ["M0 36h60v4h-60z", "#8f7f5c"],
  ],
  lord_in_court: [
    ...GROUNDS.hall,
    ["M20 38v-26q10-12 20 0v26z", "#6b2a34"],
    ...at(8, 4, person({ coat: "#7a2f3f", hair: ["short", "#5d5850"], beard: "#8d877e", hat: ["beret", "#33363d"] })),
  ],
};
