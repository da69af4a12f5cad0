// The players: gold, seals, chips in supply and camp, 1x cards, and the building.

import type { DuelPlayer } from "../../gen/clerestory/v1/duel_pb.ts";
import { Flags, Panel, type PlayerProps, Players } from "../player.tsx";
import { Count, Spot, Unseen, useBoard } from "../spots.tsx";
import { Building } from "./building.tsx";
import { Chip, KINDS, Seal } from "./chips.tsx";
import { DuelCard } from "./grid.tsx";
import { useGame } from "./parts.tsx";

type CampProps = PlayerProps<DuelPlayer>;

export function Camps() {
  const { now, was } = useGame();
  return <Players class="camps" now={now.players} was={was?.players} as={Camp} />;
}

function Camp(props: CampProps) {
  const { now } = useGame();
  const { look, player, was } = props;
  const acts = now.toAct === look.colour;
  const turn = now.turnOf === look.colour;
  const flags: [boolean, string][] = [
    [acts, "to act"],
    [now.power === look.colour, "power"],
    [now.firstPlayer === look.colour, "first player"],
    [turn && now.built, "has built"],
    [turn && now.cheap, "builds cheaply"],
  ];
  return (
    <Panel look={look} acts={acts} title="Gold" kind="gold" unit="gold" score={player.gold} was={was?.gold}>
      <Flags of={flags} />
      <Building {...props} />
      <Chips {...props} />
      <Seals {...props} />
      <Cards {...props} />
    </Panel>
  );
}

/** A table of chips by kind: in the supply, in the camp, and turned. */
function Chips({ look, player, was }: CampProps) {
  return (
    <table class="chips">
      <thead>
        <tr>
          <td />
          {KINDS.map(([raw, material]) => (
            <th key={raw} scope="col" title={`${raw}, turned ${material}`}>
              <Unseen>{raw}</Unseen>
              <Chip kind={raw} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(["supply", "camp"] as const).map((where) => (
          <tr key={where}>
            <th scope="row">{where}</th>
            {KINDS.map(([raw]) => {
              const count = player[where]?.[raw] ?? 0;
              return (
                <td key={raw}>
                  <Spot
                    place={`${look.seat}.${where}.${raw}`}
                    class={count ? "number-of" : "number-of none"}
                    title={raw}
                  >
                    <Count of={count} was={was?.[where]?.[raw]} />
                  </Spot>
                </td>
              );
            })}
          </tr>
        ))}
        <tr>
          <th scope="row">turned</th>
          {KINDS.map(([raw, material]) => {
            const count = player.materials?.[material] ?? 0;
            return (
              <td key={raw} title={material}>
                <span class={count ? "number-of" : "number-of none"}>
                  {count > 0 && <Chip kind={material} />}
                  <Count of={count} was={was?.materials?.[material]} />
                </span>
              </td>
            );
          })}
        </tr>
      </tbody>
    </table>
  );
}

/** Seals in hand; actions are on the first of equal ones. */
function Seals({ look, player }: CampProps) {
  return (
    <p class="seals">
      {!player.personalFlipped && (
        <Spot place={`${look.seat}.seal.personal`} title="Personal seal">
          <Seal faces="2/3" owner={look} />
        </Spot>
      )}
      {player.seals.map((faces, index) => (
        <Spot
          key={index}
          place={player.seals.indexOf(faces) === index ? `${look.seat}.seal.${faces}` : ""}
          title={`Seal ${faces}`}
        >
          <Seal faces={faces} />
        </Spot>
      ))}
    </p>
  );
}

function Cards({ look, player, was }: CampProps) {
  const { catalogue } = useBoard();
  const { now } = useGame();
  return (
    <div class="hand">
      {player.cards.map((id) => (
        <Spot
          key={id}
          place={`${look.seat}.card.${id}`}
          class={now.card === id ? "offer using" : "offer"}
          title={catalogue.name(id)}
          news={was && !was.cards.includes(id)}
        >
          <DuelCard id={id} />
        </Spot>
      ))}
    </div>
  );
}
