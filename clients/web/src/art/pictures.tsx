// The pictures of all cards, by identifier: people at their work, and scenes. Loaded after the first screen.

import { PROPS, type Prop } from "./props.ts";
import { SCENES, SITES, workersAt } from "./scenes.ts";
import { GROUNDS, type Ground, INK, type Person, person, type Shapes } from "./shapes.ts";

const BROWN = "#5d3a21";
const GREY = "#8d877e";
const WHITE = "#e9e5dc";
const FOX = "#b5532a";
const BLACK = "#2a1c14";
const FLAX = "#d9a441";

const PEOPLE: Readonly<Record<string, readonly [Ground, Person, Prop]>> = {
  // craftsmen
  mortar_mixer: ["site", { coat: "#c9a45a", apron: true, hair: ["bowl", BROWN], mouth: "smile" }, "mortar"],
  mortar_mixer_1: ["site", { coat: "#a87f35", apron: true, hat: ["straw", "#e3b64f"], beard: GREY }, "mortar"],
  woodworker: ["forest", { coat: "#7d8f4e", hat: ["cap", "#4c5f2c"], hair: ["short", BROWN], mouth: "smile" }, "axe"],
  master_woodworker: ["forest", { coat: "#5d6b2f", hat: ["beret", "#a8452f"], beard: BROWN }, "axe"],
  stonecutter: ["site", { coat: "#7f8790", apron: true, hat: ["band", "#8e2f22"], beard: BLACK, skin: "tan" }, "block"],
  toolmaker: ["fire", { coat: "#4f443c", apron: true, skin: "tan", hair: ["short", BLACK], beard: BLACK }, "anvil"],
  mason: ["site", { coat: "#6b7f96", apron: true, hat: ["coif", "#f6f0e2"], mouth: "smile" }, "wall"],
  carpenter: ["workshop", { coat: "#a66a3a", hat: ["cap", "#3f6a55"], hair: ["bowl", FLAX], mouth: "smile" }, "saw"],
  potter: ["workshop", { coat: "#b06f4a", apron: true, hat: ["veil", "#e9dcc4"], skin: "dark", mouth: "smile" }, "pot"],
  architect: ["hall", { coat: "#2f4a7a", hat: ["beret", "#7c2f5b"], beard: WHITE }, "plan"],
  sculptor: ["workshop", { coat: "#6b6f86", apron: true, hair: ["long", BROWN], beard: BROWN }, "statue"],
  glassblower: ["fire", { coat: "#35607a", hair: ["short", FOX], hat: ["band", "#e9e5dc"], mouth: "open" }, "glass"],
  goldsmith: ["hall", { coat: "#7c2f3f", hat: ["beret", "#d9922e"], hair: ["bowl", BLACK], mouth: "smile" }, "goblet"],
  organ_builder: ["chapel", { coat: "#54406b", hair: ["ring", GREY], beard: GREY, mouth: "smile" }, "organ"],
  bell_maker: ["fire", { coat: "#7a5236", apron: true, hat: ["cap", "#33363d"], beard: FOX }, "bell"],
  bell_founder: ["fire", { coat: "#7a5236", apron: true, hat: ["cap", "#33363d"], beard: FOX }, "bell"],
  weaver: ["workshop", { coat: "#7c5b8f", hat: ["coif", "#f6f0e2"], hair: ["long", FLAX], mouth: "smile" }, "loom"],
  // people of the advantage cards and of the duel
  aliena: ["meadow", { coat: "#a8324a", hair: ["long", BROWN], mouth: "smile" }, "sheep"],
  tom_builder: ["site", { coat: "#8a6a3f", hair: ["short", BROWN], beard: BROWN, mouth: "smile" }, "hammer"],
  richard: ["castle", { coat: "#9a3b3b", hat: ["helmet", "#aab4be"], mouth: "smile" }, "shield"],
  prior_philip: ["chapel", { coat: "#33302d", hair: ["ring", BLACK], mouth: "smile" }, "cross"],
  francis: ["hall", { coat: "#5a4636", hair: ["ring", BROWN] }, "scroll"],
  ellen: ["forest", { coat: "#3f5f4a", hair: ["wild", BLACK], skin: "tan" }, "raven"],
  otto: ["site", { coat: "#8f5a3a", hair: ["short", BLACK], beard: BLACK, skin: "tan", mouth: "smile" }, "pickaxe"],
  jack: ["workshop", { coat: "#3f7a6b", hair: ["wild", FOX], mouth: "smile" }, "rose"],
  brother_remigius: ["chapel", { coat: "#4a3a2c", hair: ["ring", WHITE], brows: true }, "keys"],
  archbishop_thomas: ["chapel", { coat: "#8f2f3a", hat: ["mitre", "#f6f0e2"], beard: GREY, mouth: "smile" }, "crozier"],
  jonathan: ["chapel", { coat: "#5d5246", hair: ["bowl", FLAX], mouth: "smile" }, "flower"],
  regan_hamleigh: ["castle", { coat: "#4a3350", hat: ["veil", "#2d2a2c"], brows: true }, "purse"],
  walter: ["castle", { coat: "#5a5f45", hat: ["hood", "#6b6f55"], beard: BROWN, brows: true }, "torch"],
  william_hamleigh: ["castle", { coat: "#33363d", hair: ["bowl", FLAX], brows: true }, "boar"],
  alfred_builder: ["site", { coat: "#7a6a4f", hair: ["short", FLAX], brows: true }, "mallet"],
  empress_maud: [
    "royal",
    { coat: "#2f4a7a", hair: ["long", FLAX], hat: ["crown", "#e8b83a"], mouth: "smile" },
    "sceptre",
  ],
  bishop_henry: ["chapel", { coat: "#54307a", hat: ["mitre", "#e8b83a"], mouth: "smile" }, "crozier"],
  king_stephen: ["royal", { coat: "#8f2f3a", beard: BROWN, hat: ["crown", "#e8b83a"] }, "sword"],
};

const SAME: Readonly<Record<string, string>> = {
  studies_in_toledo: "toledo",
  volunteer_workers: "volunteers",
  return_of_the_madonna: "crying_madonna",
};

const ANYBODY = ["workshop", { coat: "#8a6a3f", hat: ["cap", "#5d4a3c"] }, "hammer"] as const;

/** The shapes of a card; without any, those of the same craftsman of another round. An unknown card gets any person. */
function shapesOf(id: string, workers: number): Shapes {
  const [site = "", number] = id.split("_");
  if (SITES[site] && number) return [...(SITES[site] ?? []), ...workersAt(workers)];
  const base = id.replace(/_\d$/, "");
  const scene = SCENES[SAME[id] ?? id];
  const one = PEOPLE[id] ?? PEOPLE[base];
  if (scene) return scene;
  const [ground, who, prop] = one ?? ANYBODY;
  return [...GROUNDS[ground], ...person(who), ...PROPS[prop]];
}

/** The picture of a card, with as many workers as it needs, in a box of 60 by 40. */
export const pictureOf = (id: string, workers = 0) => (
  <g stroke={INK} stroke-width="0.8" stroke-linejoin="round" stroke-linecap="round">
    {shapesOf(id, workers).map(([path, colour, line], index) =>
      line === undefined ? (
        <path key={index} d={path} fill={colour} />
      ) : (
        <path key={index} d={path} fill="none" stroke={colour} stroke-width={line} />
      ),
    )}
  </g>
);

/** All cards that have a picture. */
export const PICTURED: readonly string[] = [...Object.keys(PEOPLE), ...Object.keys(SCENES), ...Object.keys(SAME)];
