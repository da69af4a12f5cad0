// Things that people of the card pictures have beside them, and things that stand alone.

import { disc, GOLD, INK, IRON, LEAF, NIGHT, PALE, RED, SAND, type Shapes, SNOW, STONE, WALL, WOOD } from "./shapes.ts";

const coin = (x: number, y: number): Shapes => [disc(x, y, 4, GOLD), disc(x, y, 2.2, "#f4d27a")];

export const PROPS = {
  mortar: [
    ["M37 30h20l-3 8h-14z", STONE],
    ["M39 30q8-8 16 0z", SAND],
    ["M54 7l-7 20", WOOD, 2.4],
    ["M43 24h8l-1 4h-7z", IRON],
  ],
  axe: [
    ["M43 37l7-28", WOOD, 2.6],
    ["M48 8l9-2q3 7-1 13l-9-4z", IRON],
  ],
  hammer: [
    ["M44 37l4-22", WOOD, 2.6],
    ["M40 9l16 4-1.600 6-16-4z", IRON],
  ],
  saw: [
    ["M38 35l15-20 4 3-13 18z", STONE],
    ["M53 15l2-5 5 4-3 4z", WOOD],
    ["M39 36l-2-2M42 37l-2-3", INK, 1],
  ],
  mallet: [
    ["M36 33h24v6h-24z", "#b98352"],
    ["M40 36h16", INK, 0.6],
    ["M47 32v-14", WOOD, 2.6],
    ["M40 8h14v10h-14z", WOOD],
  ],
  block: [
    ["M37 25h21v14h-21z", STONE],
    ["M37 25l4-4h17v4z", "#d3d6da"],
    ["M47 24l5-13", IRON, 2.4],
    ["M42 29v6M50 30v5", INK, 0.6],
  ],
  wall: [
    ["M36 24h24v16h-24z", STONE],
    ["M36 29.300h24M36 34.600h24M44 24v5M53 29.300v5M44 34.600v5", INK, 0.8],
    ["M47 9v5", WOOD, 2.4],
    ["M42 14h10l-5 10z", IRON],
  ],
  pot: [
    ["M44 12h9q-2 4 3 8t-2 11h-11q-5-5-2-11t3-8z", "#b8663c"],
    ["M41 22h15M42 25h13", "#8f4525", 1],
    ["M38 31h20v4h-20zM46 35h4v5h-4z", WOOD],
  ],
  plan: [
    ["M37 12h21v23h-21z", PALE],
    ["M41 32v-9l4-5 4 5v9zM49 32v-7h6v7z", PALE],
    ["M47 7l-6 15M47 7l6 15", IRON, 1.6],
  ],
  statue: [
    ["M41 38v-4h14v4z", STONE],
    ["M43 34q-1-20 5-20t5 20z", SNOW],
    disc(48, 10.5, 4, SNOW),
    ["M45 20h6M48 17v8", INK, 0.8],
  ],
  glass: [
    ["M41 38v-20q7-15 14 0v20z", "#4f7fb0"],
    ["M41 24h7v7h-7zM48 31h7v7h-7z", RED],
    ["M48 24h7v7h-7z", GOLD],
    ["M48 9v29M41 24h14M41 31h14", INK, 1],
  ],
  goblet: [
    ["M40 11h16q0 12-5.600 13.600v7.400h4.600v5h-14v-5h4.600v-7.400q-5.600-1.600-5.600-13.600z", GOLD],
    disc(48, 17, 2.2, RED),
  ],
  organ: [
    ["M37 38v-4h22v4z", WOOD],
    ["M38 34v-14h4v14zM42 34v-20h4v20zM46 34v-26h4v26zM50 34v-20h4v20zM54 34v-14h4v14z", "#d8dde2"],
    ["M39 29h2M43 28h2M47 27h2M51 28h2M55 29h2", INK, 1],
  ],
  bell: [["M39 32q4-4 4-12 0-9 5-9t5 9q0 8 4 12z", "#c9913a"], disc(48, 34, 2.4, "#7a5a24"), ["M48 11v-5", INK, 1.6]],
  anvil: [
    ["M36 22h22l-4 5h-4v5h5v6h-14v-6h5v-4q-8 0-10-6z", "#5c6670"],
    ["M44 19l10-12", WOOD, 2.4],
    ["M41 14l4-4 5 5-4 4z", IRON],
  ],
  loom: [
    ["M38 8h3v31h-3zM55 8h3v31h-3z", WOOD],
    ["M41 11h14v22h-14z", "#c8566a"],
    ["M41 16h14M41 21h14M41 26h14", PALE, 1.4],
    ["M44 11v22M48 11v22M52 11v22", INK, 0.5],
  ],
  sword: [
    ["M48 4l2.600 4v21h-5.200v-21z", "#dfe5ea"],
    ["M41 29h14v2.600h-14z", GOLD],
    ["M46.600 31.600h2.800v6h-2.800z", WOOD],
  ],
  shield: [
    ["M39 11h18q0 19-9 26-9-7-9-26z", "#2f5f9a"],
    ["M48 11v25M40 19h16", GOLD, 2.4],
  ],
  cross: [["M46 6h4v7h7v4h-7v20h-4v-20h-7v-4h7z", GOLD]],
  crozier: [["M47 39v-22q0-8 6-8t5 6q-2 4-5 1", GOLD, 2.6]],
  scroll: [
    ["M39 10q4-4 8 0h11v22q-4 4-8 0h-11z", PALE],
    ["M43 16h11M43 20h11M43 24h8", INK, 0.8],
    disc(53, 31, 3.6, RED),
  ],
  keys: [disc(46, 13, 5, GOLD), disc(46, 13, 2.2, WALL), ["M46 18v19M46 30h5M46 35h5", GOLD, 2.6]],
  book: [
    ["M36 18q6-4 12 0 6-4 12 0v16q-6-4-12 0-6-4-12 0z", PALE],
    ["M48 18v16M39 22h6M39 26h6M51 22h6M51 26h6", INK, 0.8],
  ],
  pickaxe: [
    ["M48 38v-27", WOOD, 2.6],
    ["M36 17q12-12 24 0-12-6-24 0z", IRON],
  ],
  logs: [
    disc(42, 34, 5, WOOD),
    disc(53, 34, 5, WOOD),
    disc(47.5, 26, 5, WOOD),
    disc(42, 34, 2, SAND),
    disc(53, 34, 2, SAND),
    disc(47.5, 26, 2, SAND),
  ],
  rose: [
    disc(48, 20, 9, STONE),
    disc(48, 14, 3.4, RED),
    disc(54, 20, 3.4, RED),
    disc(48, 26, 3.4, RED),
    disc(42, 20, 3.4, RED),
    disc(48, 20, 3.4, GOLD),
  ],
  raven: [
    ["M37 16q3-8 11-6l4 1-3 3q9 6 9 15l-7-4q-9 1-14-9z", "#33363d"],
    ["M42 12v.1", SNOW, 2],
    ["M46 26l-1 6M50 26v6", INK, 1],
  ],
  sheep: [
    ["M38 24q-3-8 5-8 3-4 8-1 6-1 6 5 4 5-2 8-8 3-14 0-4 0-3-4z", SNOW],
    disc(38, 23, 3.6, INK),
    ["M43 29v8M54 29v8", INK, 2.2],
    ["M37 22v.1", SNOW, 1.2],
  ],
  coins: [...coin(43, 32), ...coin(53, 32), ...coin(48, 25)],
  purse: [
    ["M42 17q-8 20 6 20t6-20z", "#8a5a34"],
    ["M41 17h14M48 17l-4-6M48 17l5-6", INK, 1.4],
    disc(48, 28, 3.4, GOLD),
  ],
  torch: [
    ["M48 38v-18", WOOD, 3.4],
    ["M48 21q-8-3-3-10 1 2 2 2 0-5 3-8 0 5 4 8 2 7-6 8z", "#ee8a2f"],
  ],
  sceptre: [["M45 38l6-26", GOLD, 2.6], disc(52, 9, 4.6, GOLD), disc(52, 9, 2, RED)],
  flower: [
    ["M48 38v-18", LEAF, 2],
    disc(48, 16, 3, GOLD),
    disc(48, 10.5, 3, SNOW),
    disc(53, 15, 3, SNOW),
    disc(51, 21, 3, SNOW),
    disc(45, 21, 3, SNOW),
    disc(43, 15, 3, SNOW),
  ],
  boar: [
    ["M37 9h22v14q-5 9-11 13-6-4-11-13z", "#2d2a2c"],
    ["M41 21q2-6 9-5 5 0 6 4l-2 1v4h-3v-3h-5v3h-3z", GOLD],
  ],
  dice: [
    ["M38 20h12v12h-12z", SNOW],
    ["M46 28h12v11h-12z", SNOW],
    ["M41 23v.1M47 29v.1M44 26v.1M49 31v.1M55 36v.1", NIGHT, 2.2],
  ],
} satisfies Record<string, Shapes>;

export type Prop = keyof typeof PROPS;
