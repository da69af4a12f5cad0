// The locations of the board, in the order of the round.

import type { ComponentChildren } from "preact";
import { rich, say } from "../../language/texts.ts";
import { Builder, Die, Good, Picture, Worker } from "../art.tsx";
import { Change, Count, Spot, Unseen, useBoard } from "../spots.tsx";
import { CraftsmanCard, Site, TextCard } from "./cards.tsx";
import { Church } from "./church.tsx";
import { Location, Space, seatOf, useGame, useOwn } from "./parts.tsx";
import { amounts, METAL_PRICE, numberOf, PRICES, PRIORY, permitted, taxTold, tradeOf } from "./words.ts";

type Cube = (typeof CUBES)[number];
const CUBES = ["sand", "wood", "stone", "metal"] as const;

const VIEWS: Record<string, string> = {
  archbishop: "M14 34V18c0-7 4-11 8-15 4 4 8 8 8 15v16zM14 26h16M22 8v14M18 14h8M40 34V10c0-5 8-5 8 0 0 4-5 4-5 0",
  mill: "M4 34V18l12-10 12 10v16zM14 34v-8h5v8M42 14a11 11 0 1 1-.1 0zM42 14v22M31 25h22M34 17l16 16M50 17 34 33",
  kingsbridge: "M0 22c16-9 44-9 60 0v12h-8c0-9-12-9-12 0h-6c0-10-14-10-14 0h-6c0-9-10-9-10 0H0z",
  priory: "M6 34V20l12-8 12 8v14zM30 34V14l7-10 7 10v20zM15 34v-7h6v7M34 20h6M37 4V0",
  court: "M10 32 6 12l12 9 12-15 12 15 12-9-4 20zM10 37h40",
  shiring: "M2 34V20l8-7 8 7v14zM20 34V14l9-8 9 8v20zM40 34V22l8-7 8 7v12zM26 34v-8h6v8M8 25h4M46 27h4M26 18h6",
  castle: "M6 36V14h6v4h6v-4h6v4h10v-4h6v4h6v-4h6v22zM24 36v-8c0-6 10-6 10 0v8M26 14V4l9 3-9 3",
  market: "M6 16 12 4h36l6 12c-4 5-8 5-12 0-4 5-8 5-12 0-4 5-8 5-12 0-4 5-8 5-12 0zM10 20v16M50 20v16M10 28h40",
  start: "M18 38V4h26l-7 9 7 9H18",
};

const View = ({ of }: { of: string }) => (
  <Picture class="view" box="0 -2 60 42">
    <path d={VIEWS[of]} />
  </Picture>
);

interface StripProps {
  id: string;
  number: string;
  title: string;
  children: ComponentChildren;
}

/** A location with its picture and its content in a row. */
function Strip({ id, number, title, children }: StripProps) {
  return (
    <Location id={id} number={number} title={title} picture={<View of={id} />}>
      <div class="strip">{children}</div>
    </Location>
  );
}

export function Town() {
  return (
    <div class="town">
      <Archbishop />
      <Mill />
      <Kingsbridge />
      <Priory />
      <Sites />
      <Court />
      <Shiring />
      <Castle />
      <Market />
      <Start />
      <Site13 />
    </div>
  );
}

/** The event, and the archbishop's seat. */
function Archbishop() {
  const { now, was } = useGame();
  return (
    <Strip id="archbishop" number="1–2" title={say("place.event_archbishop")}>
      <Space place="archbishop" title={say("place.archbishop")} holder={now.archbishop} was={was?.archbishop} />
      <Spot
        place="event"
        class="event"
        title={say("place.event")}
        news={was && was.event !== now.event && now.event !== ""}
      >
        <EventCard />
      </Spot>
      <Spot place="protect" class="shield" title={say("place.protection")}>
        {!now.protection && <span class="offered">{say("place.protect")}</span>}
        {now.protection && <span class="flag">{say("flag.protected")}</span>}
      </Spot>
    </Strip>
  );
}

/** The event of the round; before it is turned up, the event that the viewer's seat has been shown. */
function EventCard() {
  const { now } = useGame();
  const foreseen = now.eventDeck.length === 1 ? now.eventDeck[0] : undefined; // more than one is a whole deck, which is hidden from all
  if (now.event) return <TextCard id={now.event} section="event_cards" />;
  if (foreseen === undefined) return <span class="back">{say("place.to_come")}</span>;
  return (
    <>
      <span class="flag">{say("flag.foreseen")}</span>
      <TextCard id={foreseen} section="event_cards" />
    </>
  );
}

/** The workers at the wool mill. */
function Mill() {
  const { seats } = useBoard();
  const { now, was } = useGame();
  return (
    <Strip id="mill" number="3" title={say("place.mill")}>
      {seats.map((seat) => (
        <span key={seat.seat} class="workers" title={say("place.mill_of", { who: seat.name })}>
          <Builder look={seat} />
          <Worker />
          <Count of={now.players[seat.seat]?.mill ?? 0} was={was?.players[seat.seat]?.mill} />
        </span>
      ))}
    </Strip>
  );
}

interface SpacesProps {
  id: string;
  /** Colours of the builders on them. */
  holders: readonly string[];
  was: readonly string[] | undefined;
  title(index: number): string;
  /** Content of an empty space. */
  children(index: number): ComponentChildren;
}

/** The spaces of a location, in their order. */
function Spaces({ id, holders, was, title, children }: SpacesProps) {
  return (
    <>
      {holders.map((holder, index) => (
        <Space key={index} place={`${id}.${index + 1}`} title={title(index)} holder={holder} was={was?.[index]}>
          {children(index)}
        </Space>
      ))}
    </>
  );
}

interface PairProps {
  id: string;
  number: string;
  title: string;
  /** Colours of the builders on the two spaces. */
  holders: readonly string[];
  was: readonly string[] | undefined;
  /** The card at each space. */
  cards: readonly ComponentChildren[];
}

/** A location of two spaces, each with a card. */
function Pair({ id, number, title, holders, was, cards }: PairProps) {
  return (
    <Location id={id} number={number} title={title} picture={<View of={id} />}>
      <div class="pair">
        {holders.map((holder, index) => (
          <div key={index} class="strip">
            <Space
              place={`${id}.${index + 1}`}
              title={say("place.space", { name: title, number: index + 1 })}
              holder={holder}
              was={was?.[index]}
            >
              {index + 1}
            </Space>
            {cards[index]}
          </div>
        ))}
      </div>
    </Location>
  );
}

function Kingsbridge() {
  const { now, was } = useGame();
  const cards = now.kingsbridgeCards.map((id) =>
    id ? <TextCard key={id} id={id} section="advantage_cards" /> : <span class="back">{say("place.no_card")}</span>,
  );
  const spaces = { holders: now.kingsbridge, was: was?.kingsbridge, cards };
  return <Pair id="kingsbridge" number="4" title={say("place.kingsbridge")} {...spaces} />;
}

function Priory() {
  const { now, was } = useGame();
  return (
    <Strip id="priory" number="5" title={say("place.priory")}>
      <Spaces
        id="priory"
        holders={now.priory}
        was={was?.priory}
        title={(index) => say("place.priory_space", { number: PRIORY[index] ?? 0 })}
      >
        {(index) => [PRIORY[index], <Good key={index} kind="vp" />]}
      </Spaces>
    </Strip>
  );
}

const SITES = [
  ["6", "wood"],
  ["7", "stone"],
  ["8", "sand"],
] as const;

/** The resource cards: who works where, and for how many cubes. */
function Sites() {
  const { seats, catalogue } = useBoard();
  const { now } = useGame();
  const cards = now.players.flatMap((player, seat) =>
    player.resourceCards.map((id) => ({ seat, id, card: catalogue.of("resource_cards", id) })),
  );
  return (
    <div class="sites location at-sites" data-about="sites" role="group" aria-label={say("place.sites")}>
      {SITES.map(([number, type]) => (
        <div key={type} class="site-row">
          <span class="number">{number}</span>
          <span class="site-name">{say(`place.${type}`)}</span>
          <Site type={type} />
          <span class="at-work">
            {cards
              .filter(({ card }) => card?.values.type === type)
              .map(({ seat, id, card }) => (
                <span
                  key={id}
                  class="things"
                  title={say("with", { name: seats[seat]?.name ?? "", what: catalogue.name(id) })}
                >
                  <Builder look={seats[seat]} />
                  {numberOf(card, "yields")}
                  <Good kind={type} />
                </span>
              ))}
          </span>
        </div>
      ))}
    </div>
  );
}

function Court() {
  const { now, was } = useGame();
  return (
    <Strip id="court" number="9" title={say("place.court")}>
      <Spaces
        id="court"
        holders={now.court}
        was={was?.court}
        title={(index) => say(index ? "place.court_space" : "place.court_metal")}
      >
        {(index) => index === 0 && now.courtMetal > 0 && <Good kind="metal" />}
      </Spaces>
      <Spot place="die" class="tax" title={say("place.tax")} news={was && now.die > 0 && was.die !== now.die}>
        <span class="label">{say("place.tax")}</span>
        <Die shows={now.die} />
        <Unseen>{taxTold(now)}</Unseen>
      </Spot>
    </Strip>
  );
}

function Shiring() {
  const { now, was } = useGame();
  const cards = now.shiringCards.map((id) =>
    id ? <CraftsmanCard key={id} id={id} price={false} /> : <span class="back">{say("nobody")}</span>,
  );
  return (
    <Pair
      id="shiring"
      number="10"
      title={say("place.shiring")}
      holders={now.shiring}
      was={was?.shiring}
      cards={cards}
    />
  );
}

function Castle() {
  const { now, was } = useGame();
  return (
    <Strip id="castle" number="11" title={say("place.castle")}>
      <Space place="castle" title={say("place.castle_space")} holder={now.castle} was={was?.castle}>
        2<Worker />
      </Space>
    </Strip>
  );
}

/** Stalls in their order, and the goods for sale. */
function Market() {
  const { now, was } = useGame();
  const stalls = now.market.map((holder, index) => ({ holder, number: index + 1, was: was?.market[index] }));
  return (
    <Location id="market" number="12" title={say("place.market")} picture={<View of="market" />}>
      <div class="strip">
        {stalls
          .filter(({ number, holder }) => number <= 4 || holder)
          .map(({ number, holder, was: before }) => (
            <span key={number} class={now.stall === number ? "stall now" : "stall"}>
              <Space place={`market.${number}`} title={say("place.stall", { number })} holder={holder} was={before}>
                {number}
              </Space>
            </span>
          ))}
      </div>
      <div class="strip goods">
        {Object.entries(PRICES).map(([kind, price]) => (
          <Stock key={kind} kind={kind as Cube} price={price} />
        ))}
        <span class="stock" title={say("place.metal", { price: METAL_PRICE })}>
          <span class="pile">
            <Good kind="metal" />
          </span>
          <span class="price">
            {rich("place.sell", { price: METAL_PRICE })}
            <Good kind="gold" />
          </span>
        </span>
      </div>
    </Location>
  );
}

function Stock({ kind, price }: { kind: Cube; price: number }) {
  const { now, was } = useGame();
  const left = amount(now.stock, kind);
  const barred = useBarred(`buy_${kind}`);
  return (
    <Spot
      place={`stock.${kind}`}
      class={barred ? "stock barred" : "stock"}
      title={say("place.stock", { price, what: amounts({ [kind]: left }) })}
    >
      <span class="pile">
        {Array.from({ length: left }, (_, index) => (
          <Good key={index} kind={kind} />
        ))}
        <Change of={left} was={was && amount(was.stock, kind)} />
      </span>
      <span class="price">
        {price}
        <Good kind="gold" />
      </span>
      {barred && <span class="lack">{barred}</span>}
    </Spot>
  );
}

/** Why the player of this board may not trade in something, if a craftsman must permit it; empty if it is open to all. */
function useBarred(permit: string): string {
  const { catalogue } = useBoard();
  const own = useOwn();
  const permits = (id: string) => tradeOf(catalogue, id)?.permits === permit;
  const permitting = [...catalogue.all("starting_craftsmen"), ...catalogue.all("craftsmen")].find(({ id }) =>
    permits(id),
  );
  if (!own || !permitting || own.craftsmen.some(permits)) return "";
  return say("card.lacks_permit", { who: catalogue.name(permitting.id), what: permitted(permit) });
}

const amount = (cubes: object | undefined, kind: string) => Number((cubes as Record<string, unknown>)?.[kind] ?? 0);

function Start() {
  const { now, was } = useGame();
  return (
    <Strip id="start" number="14" title={say("place.start")}>
      <Space place="start" title={say("place.start_space")} holder={now.start} was={was?.start} />
    </Strip>
  );
}

/** The cathedral, and the general supply. */
function Site13() {
  const { seats, early } = useBoard();
  const { now, was } = useGame();
  const finished = now.step === "over" && !early;
  const builds = now.step === "cathedral" || now.step === "keep" ? seatOf(seats, now.toAct) : undefined;
  return (
    <Location id="cathedral" number="13" title={say("place.cathedral")}>
      <Church round={now.round} finished={finished} />
      <p class="round">{finished ? say("place.finished") : say("summary.round", { round: now.round })}</p>
      {builds && <Builder look={builds} title={say("place.builds", { who: builds.name })} />}
      <p class="supply" title={say("place.supply_all")}>
        <span class="muted">{say("place.supply")}</span>
        {CUBES.map((kind) => (
          <Spot
            key={kind}
            place={`supply.${kind}`}
            class="things"
            title={say("place.supply_of", { thing: say(`thing.${kind}`) })}
          >
            <Good kind={kind} />
            <Count of={amount(now.supply, kind)} was={was && amount(was.supply, kind)} />
          </Spot>
        ))}
      </p>
    </Location>
  );
}
