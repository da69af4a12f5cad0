// What each player has: gold, seals, chips in supply and camp, cards to be played once, and the building.

import type { DuelPlayer } from "../../gen/clerestory/v1/duel_pb.ts";
import { Builder, Good } from "../art.tsx";
import { Count, Spot, Unseen, useBoard } from "../spots.tsx";
import type { SeatLook } from "../types.ts";
import { Building } from "./building.tsx";
import { Chip, KINDS, Seal } from "./chips.tsx";
import { DuelCard } from "./grid.tsx";
import { useGame } from "./parts.tsx";

interface CampProps {
  look: SeatLook;
  player: DuelPlayer;
  was: DuelPlayer | undefined;
}

export function Camps() {
  const { seats } = useBoard();
  const { now, was } = useGame();
  return (
    <div class="camps">
      {seats.map((look) => {
        const player = now.players[look.seat];
        return player && <Camp key={look.seat} look={look} player={player} was={was?.players[look.seat]} />;
      })}
    </div>
  );
}

function Camp(props: CampProps) {
  const { viewer } = useBoard();
  const { now } = useGame();
  const { look, player, was } = props;
  return (
    <div
      class={`player of-${look.colour} ${now.toAct === look.colour ? "acts" : ""}`}
      role="group"
      aria-label={look.name}
    >
      <p class="player-name">
        <Builder look={look} />
        <span class="who">
          {look.name}
          {viewer === look.seat && <small> (you)</small>}
        </span>
        <span class="score" title="Gold">
          <Good kind="gold" />
          <Count of={player.gold} was={was?.gold} />
          <Unseen> gold</Unseen>
        </span>
      </p>
      <Flags look={look} />
      <Building {...props} />
      <Chips {...props} />
      <Seals {...props} />
      <Cards {...props} />
    </div>
  );
}

function Flags({ look }: { look: SeatLook }) {
  const { now } = useGame();
  const turn = now.turnOf === look.colour;
  const told: [boolean, string][] = [
    [now.toAct === look.colour, "to act"],
    [now.power === look.colour, "power"],
    [now.firstPlayer === look.colour, "first player"],
    [turn && now.built, "has built"],
    [turn && now.cheap, "builds cheaply"],
  ];
  return (
    <p class="flags">
      {told
        .filter(([is]) => is)
        .map(([, words]) => (
          <span key={words} class="flag">
            {words}
          </span>
        ))}
    </p>
  );
}

/** A table: by kind what is in the supply, in the camp, and turned. */
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

/** Seals in hand; of equal ones the first stands for all. */
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
