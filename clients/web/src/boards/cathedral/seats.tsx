// The players: points, gold, cubes, workers, craftsmen and their conversions, cards.

import type { CathedralPlayer } from "../../gen/clerestory/v1/cathedral_pb.ts";
import { rich, say } from "../../language/texts.ts";
import { Builder, Good, Picture, Worker } from "../art.tsx";
import { Flags, Panel, type PlayerProps, Players } from "../player.tsx";
import { Portrait } from "../portrait.tsx";
import { Count, Spot, Unseen, useBoard } from "../spots.tsx";
import { Conversion, TextCard } from "./cards.tsx";
import { flagsOf } from "./flags.ts";
import { useGame } from "./parts.tsx";
import { lackOf, tradeOf } from "./words.ts";

const GOODS = ["gold", "sand", "wood", "stone", "metal"] as const;

type SeatProps = PlayerProps<CathedralPlayer>;

export function Seats() {
  const { seats } = useBoard();
  const { now, was } = useGame();
  return <Players class={`seats-row seats-${seats.length}`} now={now.players} was={was?.players} as={Seat} />;
}

function Seat(props: SeatProps) {
  const { now } = useGame();
  const { seats } = useBoard();
  const { look, player, was } = props;
  const acts = now.toAct === look.colour;
  const score = { title: say("thing.vp"), kind: "vp", unit: say("thing.vp"), score: player.vp, was: was?.vp };
  return (
    <Panel look={look} acts={acts} {...score} crowded={isCrowded(player, seats.length)}>
      <Flags seat={look.seat} of={flagsOf(now, look, player)}>
        {acts && <Blessing seat={look.seat} />}
      </Flags>
      <Purse {...props} />
      <Workers {...props} />
      <Craftsmen {...props} />
      <Cards {...props} />
    </Panel>
  );
}

const ROWS = [0, 0, 5, 5, 4]; // by the number of seats: rows of craftsmen and cards in a strip
const KEPT = 3; // rows of two craftsmen each that are kept free between two players

/** Whether the craftsmen and cards of a player need more rows than a strip has. */
function isCrowded({ craftsmen, advantages }: CathedralPlayer, seats: number): boolean {
  const crew = seats === 2 ? Math.max(KEPT, Math.ceil(craftsmen.length / 2)) : craftsmen.length;
  const rows = crew + advantages.length;
  return rows > (ROWS[seats] ?? Number.POSITIVE_INFINITY);
}

/** The effect of the archbishop's blessing for the player who is converting. */
function Blessing({ seat }: { seat: number }) {
  const { catalogue } = useBoard();
  const { now } = useGame();
  const effect = catalogue.of("event_cards", now.event)?.values.effect as { kind?: string } | undefined;
  if (now.step !== "cathedral" || effect?.kind !== "blessing") return null;
  const words = say(now.blessingUsed ? "flag.blessing_used" : "flag.blessing");
  return (
    <span class="flag blessing" title={words} data-about={`${seat}.flag.blessing`}>
      <Picture class="cross" box="0 0 24 24">
        <path d="M12 2v20M6 8h12M3 3l2 2M21 3l-2 2M3 15l2-2M21 15l-2-2" />
      </Picture>{" "}
      {words}
    </span>
  );
}

function Purse({ look, player, was }: SeatProps) {
  return (
    <p class="purse">
      {GOODS.map((kind) => (
        <Spot
          key={kind}
          place={`${look.seat}.goods.${kind}`}
          class={player[kind] ? "things" : "things none"}
          title={say(`thing.${kind}`)}
        >
          <Good kind={kind} />
          <Count of={player[kind]} was={was?.[kind]} />
          <Unseen> {say(`thing.${kind}`)}</Unseen>
        </Spot>
      ))}
    </p>
  );
}

function Workers({ look, player, was }: SeatProps) {
  return (
    <p class="workforce" data-about={`${look.seat}.workers`}>
      <span class="things" title={say("crew.free_all")}>
        <Worker />
        {rich("crew.free", { number: <Count of={player.workers} was={was?.workers} /> })}
      </span>
      <span class="things" title={say("crew.bag_all")}>
        <Builder look={look} /> {say("crew.bag", { number: player.bag })}
      </span>
      {player.grey > 0 && <span title={say("crew.grey_all")}>{say("crew.grey", { number: player.grey })}</span>}
      {player.greyNext > 0 && <span title={say("crew.next_all")}>{say("crew.next", { number: player.greyNext })}</span>}
      {player.mill > 0 && <span>{say("crew.mill", { number: player.mill })}</span>}
      {player.aside > 0 && <span>{say("crew.aside", { number: player.aside })}</span>}
    </p>
  );
}

function Craftsmen({ look, player, was }: SeatProps) {
  const { catalogue } = useBoard();
  const { now } = useGame();
  const uses = now.toAct === look.colour ? now.used : [];
  return (
    <ul class="crew" data-about={`${look.seat}.crew`}>
      {player.craftsmen.map((id) => {
        const trade = tradeOf(catalogue, id);
        const used = uses.find((use) => use.craftsman === id)?.times;
        const lack = trade ? lackOf(trade, player.craftsmen, catalogue) : "";
        return (
          <li key={id}>
            <Spot
              place={`${look.seat}.craftsman.${id}`}
              class={lack ? "mate barred" : "mate"}
              title={lack ? say("with", { name: catalogue.name(id), what: lack }) : catalogue.name(id)}
              news={was && !was.craftsmen.includes(id)}
            >
              <span class="name">
                <Portrait id={id} /> {catalogue.name(id)}
              </span>
              {trade && <Conversion trade={trade} catalogue={catalogue} used={used} />}
              {lack && <span class="lack">{lack}</span>}
            </Spot>
          </li>
        );
      })}
    </ul>
  );
}

function Cards({ look, player, was }: SeatProps) {
  if (!player.advantages.length) return null;
  return (
    <ul class="own-cards">
      {player.advantages.map((id) => (
        <li key={id}>
          <Spot place={`${look.seat}.card.${id}`} class="mate" news={was && !was.advantages.includes(id)}>
            <TextCard id={id} section="advantage_cards" />
          </Spot>
        </li>
      ))}
    </ul>
  );
}
