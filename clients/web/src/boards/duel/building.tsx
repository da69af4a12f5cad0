// The two buildings: three sections of three materials each, and a silhouette that grows with them.

import type { DuelPlayer } from "../../gen/clerestory/v1/duel_pb.ts";
import { say } from "../../language/texts.ts";
import { Good, Picture } from "../art.tsx";
import { Spot, useBoard } from "../spots.tsx";
import type { Catalogue, SeatLook } from "../types.ts";
import { Chip, Seal } from "./chips.tsx";
import { buildingOf, isComplete, slotsOf, slotTold, wantedBy } from "./sections.ts";

const SECTIONS = ["I", "II", "III"] as const;

type Drawing = { walls: string; roofs: string; glass: string };

// Any section can be built first, so each is drawn standing on the ground.
const DRAWINGS: Record<string, Drawing[]> = {
  castle: [
    {
      walls: "M22 78V50h5v4h8v-4h8v4h8v-4h8v4h8v-4h8v4h8v-4h8v4h8v-4h5v28z",
      roofs: "M53 78V67c0-9 14-9 14 0v11z",
      glass: "M36 62v7M44 62v7M76 62v7M84 62v7",
    },
    {
      walls: "M6 78V34h4v4h6v-4h6v4h4v-4h4v44zM90 78V34h4v4h6v-4h6v4h4v-4h4v44z",
      roofs: "M3 78h30v4H3zM87 78h30v4H87z",
      glass: "M18 44v8M18 60v8M102 44v8M102 60v8",
    },
    {
      walls: "M40 78V18h5v5h7v-5h6v5h6v-5h6v5h7v-5h4v60z",
      roofs: "M60 18V3l15 5-15 5z",
      glass: "M50 30v8M60 30v8M70 30v8",
    },
  ],
  cathedral: [
    { walls: "M34 78V48h46v30z", roofs: "M30 49l7-19h40l7 19z", glass: arches(41, 70, 4) },
    { walls: "M80 78V52h20l10 8v18z", roofs: "M78 53l5-15h16l15 23-14-8z", glass: arches(85, 72, 2) },
    {
      walls: "M12 78V36h22v42z",
      roofs: "M9 37l14-34 14 34zM8 78h104v4H8z",
      glass: `${arches(19, 52, 1)}${arches(19, 76, 1)}`,
    },
  ],
};

/** Windows side by side. */
function arches(x: number, y: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `M${x + 9 * index} ${y}v-9q0-4 3-6 3 2 3 6v9z`).join("");
}

interface Props {
  look: SeatLook;
  player: DuelPlayer;
  was: DuelPlayer | undefined;
}

const placedIn = (player: DuelPlayer | undefined) =>
  player ? [player.section1, player.section2, player.section3] : undefined;

export function Building({ look, player, was }: Props) {
  const { catalogue } = useBoard();
  const building = buildingOf(look.colour);
  const sections = placedIn(player) ?? [];
  const before = placedIn(was);
  return (
    <div class="building" data-about={`${look.seat}.building`}>
      <Picture class="church" box="0 0 120 84">
        {[2, 0, 1].map((index) => (
          <g key={index} class={`part ${state(sections[index]?.length ?? 0)}`}>
            <path class="wall" d={DRAWINGS[building]?.[index]?.walls ?? ""} />
            <path class="roof" d={DRAWINGS[building]?.[index]?.roofs ?? ""} />
            <path class="glass" d={DRAWINGS[building]?.[index]?.glass ?? ""} />
          </g>
        ))}
      </Picture>
      <ul class="sections">
        {SECTIONS.map((name, index) => (
          <li key={name}>
            <Spot
              place={`${look.seat}.section.${name}`}
              class={isComplete(sections[index] ?? []) ? "section complete" : "section"}
              title={say("camp.section", { name })}
              news={before && before[index]?.length !== sections[index]?.length}
            >
              <b>{name}</b>
              <Slots wanted={wantedBy(catalogue, look.colour, name)} placed={sections[index] ?? []} />
              <Bonus section={name} catalogue={catalogue} />
            </Spot>
          </li>
        ))}
      </ul>
    </div>
  );
}

const state = (count: number) => (count >= 3 ? "built" : count ? "rising" : "plan");

/** The materials of a section: placed, or still missing. */
const Slots = ({ wanted, placed }: { wanted: readonly string[]; placed: readonly string[] }) => (
  <span class="slots">
    {slotsOf(wanted, placed).map((slot, index) => (
      <span key={index} class={slot.missing ? "slot missing" : "slot"} title={slotTold(slot)}>
        <Chip kind={slot.kind} />
        <span class="unseen">{slotTold(slot)}</span>
      </span>
    ))}
  </span>
);

/** The bonus for the first to complete a section. */
function Bonus({ section, catalogue }: { section: string; catalogue: Catalogue }) {
  const values = catalogue.of("buildings", "building")?.values ?? {};
  const [value, sign] = {
    I: [values.bonus_seals, <Seal key="seal" faces="?" />],
    II: [values.bonus_gold, <Good key="gold" kind="gold" />],
    III: [values.bonus_chips, say("camp.turned")],
  }[section] ?? [undefined, null];
  if (value === undefined) return null;
  return (
    <span class="bonus" title={say("camp.bonus")}>
      <bdi>+{String(value)}</bdi> {sign}
    </span>
  );
}
