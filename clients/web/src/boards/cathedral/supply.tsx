// The draft row, and the track of the builders.

import type { FunctionComponent } from "preact";
import { say } from "../../language/texts.ts";
import { Builder, Coin } from "../art.tsx";
import { Spot, Unseen, useBoard } from "../spots.tsx";
import { CraftsmanCard, ResourceCard } from "./cards.tsx";
import { Location, seatOf, useGame } from "./parts.tsx";

/** The available cards of the draft; nothing once it is over. */
export function Draft() {
  const { now, was } = useGame();
  if (!now.supplyCraftsmen.length && !now.supplyResources.length) return null;
  return (
    <Location id="draft" title={say("place.draft")}>
      <div class="hand">
        {now.supplyCraftsmen.map((id) => (
          <Offer key={id} id={id} before={was?.supplyCraftsmen} as={CraftsmanCard} />
        ))}
        {now.supplyResources.map((id) => (
          <Offer key={id} id={id} before={was?.supplyResources} as={ResourceCard} />
        ))}
      </div>
    </Location>
  );
}

interface OfferProps {
  id: string;
  /** The cards that were there in the previous position. */
  before: readonly string[] | undefined;
  as: FunctionComponent<{ id: string }>;
}

function Offer({ id, before, as: Card }: OfferProps) {
  const { catalogue } = useBoard();
  return (
    <Spot place={`draft.${id}`} class="offer" title={catalogue.name(id)} news={before && !before.includes(id)}>
      <Card id={id} />
    </Spot>
  );
}

const COSTS = [7, 6, 5, 4, 3, 2, 1, 0];

/** The cost of the drawn builder, the builders in the bag, and those waiting. */
export function Track() {
  const { now, was } = useGame();
  return (
    <Location id="track" title={say("place.track")}>
      <Bag />
      <Waiting />
      <ol class="costs">
        {COSTS.map((cost) => (
          <li key={cost} class={cost > now.cost ? "past" : cost === now.cost ? "now" : ""}>
            {cost === now.cost && <Drawn />}
            <span class={was && was.cost !== now.cost && cost === now.cost ? "milestone fresh" : "milestone"}>
              {cost}
              {cost === now.cost && <Coin />}
            </span>
          </li>
        ))}
      </ol>
    </Location>
  );
}

/** Builders that have not been drawn yet. */
function Bag() {
  const { seats } = useBoard();
  const { now } = useGame();
  return (
    <Spot place="redraw" class="bag" title={say("place.bag_all")}>
      <span class="label">{say("place.bag")}</span>
      {seats.map((seat) => {
        const left = now.players[seat.seat]?.bag ?? 0;
        return (
          <Spot
            key={seat.seat}
            place={`bag.${seat.colour}`}
            class="things"
            title={say("with", { name: seat.name, what: say("crew.bag", { number: left }) })}
          >
            <Builder look={seat} />
            {left}
          </Spot>
        );
      })}
    </Spot>
  );
}

function Drawn() {
  const { seats } = useBoard();
  const { now, was } = useGame();
  const look = seatOf(seats, now.drawn);
  if (!look) return null;
  return (
    <Spot
      place="drawn"
      class="drawn-builder"
      title={say("place.drawn", { who: look.name })}
      news={was && was.drawn !== now.drawn}
    >
      <Builder look={look} title={say("place.drawn", { who: look.name })} />
      {now.freePlacement && <span class="flag">{say("flag.free")}</span>}
    </Spot>
  );
}

/** Builders that passed, first passed first. */
function Waiting() {
  const { seats } = useBoard();
  const { now, was } = useGame();
  return (
    <Spot
      place="wait"
      class="waiting"
      title={say("place.waiting_all")}
      news={was && now.waiting.length > was.waiting.length}
    >
      <span class="label">{say("place.waiting")}</span>
      {now.waiting.length === 0 && <span class="muted">{say("nobody")}</span>}
      {now.waiting.map((colour, index) => (
        <Builder key={index} look={seatOf(seats, colour)} />
      ))}
      <Unseen>{say("place.in_order")}</Unseen>
    </Spot>
  );
}
