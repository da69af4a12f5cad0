// The players: gold, seals, chips in supply and camp, 1x cards, and the building.

import type { DuelPlayer } from "../../gen/clerestory/v1/duel_pb.ts";
import { say } from "../../language/texts.ts";
import { Flags, Panel, type PlayerProps, Players } from "../player.tsx";
import { Count, Spot, Unseen, useBoard } from "../spots.tsx";
import { divisible } from "../words.ts";
import { Building } from "./building.tsx";
import { Chip, KINDS, Seal } from "./chips.tsx";
import { flagsOf } from "./flags.ts";
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
  return (
    <Panel
      look={look}
      acts={now.toAct === look.colour}
      title={say("thing.gold")}
      kind="gold"
      unit={say("thing.gold")}
      score={player.gold}
      was={was?.gold}
    >
      <Flags seat={look.seat} of={flagsOf(now, look)} />
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
            <th
              key={raw}
              scope="col"
              data-about={`${look.seat}.kind.${raw}`}
              title={say("camp.kind", { raw: say(`thing.${raw}`), material: say(`thing.${material}`) })}
            >
              <Unseen>{say(`thing.${raw}`)}</Unseen>
              <Chip kind={raw} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(["supply", "camp"] as const).map((where) => (
          <tr key={where}>
            <th scope="row" title={say(`camp.${where}`)} data-about={`${look.seat}.${where}`}>
              {divisible(say(`camp.${where}`))}
            </th>
            {KINDS.map(([raw]) => {
              const count = player[where]?.[raw] ?? 0;
              return (
                <td key={raw}>
                  <Spot
                    place={`${look.seat}.${where}.${raw}`}
                    class={count ? "number-of" : "number-of none"}
                    title={say(`thing.${raw}`)}
                  >
                    <Count of={count} was={was?.[where]?.[raw]} />
                  </Spot>
                </td>
              );
            })}
          </tr>
        ))}
        <tr>
          <th scope="row" title={say("camp.turned")} data-about={`${look.seat}.materials`}>
            {say("camp.turned")}
          </th>
          {KINDS.map(([raw, material]) => {
            const count = player.materials?.[material] ?? 0;
            return (
              <td key={raw} title={say(`thing.${material}`)} data-about={`${look.seat}.materials.${material}`}>
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
    <p class="seals" data-about={`${look.seat}.seals`}>
      {!player.personalFlipped && (
        <Spot place={`${look.seat}.seal.personal`} title={say("camp.personal")}>
          <Seal faces="2/3" owner={look} />
        </Spot>
      )}
      {player.seals.map((faces, index) => (
        <Spot
          key={index}
          place={player.seals.indexOf(faces) === index ? `${look.seat}.seal.${faces}` : ""}
          title={say("camp.seal", { faces })}
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
