// The Pillars of the Earth in words: all that the drawing shows.

import type { CathedralCubes, CathedralPlayer, CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import { capital, say } from "../../language/texts.ts";
import type { SeatRow } from "../../parts/parts.tsx";
import { about, all, colour, Facts, flagged, lines, NOTHING, PlayerFacts } from "../facts.tsx";
import { stepTold } from "../steps.ts";
import type { BoardProps, Catalogue } from "../types.ts";
import { listed } from "../words.ts";
import { flagsOf } from "./flags.ts";
import {
  amounts,
  effectOf,
  lackOf,
  METAL_PRICE,
  numberOf,
  PRICES,
  placingCost,
  taxTold,
  tradeOf,
  tradeTold,
} from "./words.ts";

const cubes = (of: CathedralCubes | undefined) =>
  of
    ? amounts({ sand: of.sand, wood: of.wood, stone: of.stone, ...(of.metal === undefined ? {} : { metal: of.metal }) })
    : "";

export function Cathedral(props: BoardProps & { of: CathedralPosition }) {
  return (
    <>
      <Town {...props} />
      <People {...props} />
    </>
  );
}

/** Cards with what they do. */
function cardsOf(catalogue: Catalogue) {
  const priced = (id: string) => numberOf(catalogue.of("craftsmen", id), "cost");
  const trade = (id: string) => {
    const found = tradeOf(catalogue, id);
    return found ? tradeTold(found, catalogue) : "";
  };
  const lack = (id: string, held: readonly string[]) => {
    const found = tradeOf(catalogue, id);
    return found ? lackOf(found, held, catalogue) : "";
  };
  const costs = (number: number | undefined) => (number === undefined ? "" : say("card.costs", { number }));
  const needs = (number: number | undefined) => (number === undefined ? "" : say("card.workers", { number }));
  return {
    craftsman: (id: string) => about(catalogue.name(id), trade(id)),
    mate: (id: string, held: readonly string[]) => about(catalogue.name(id), trade(id), lack(id, held)),
    offer: (id: string) => about(catalogue.name(id), costs(priced(id)), trade(id)),
    resource: (id: string) => about(catalogue.name(id), needs(numberOf(catalogue.of("resource_cards", id), "workers"))),
    text: (id: string, section: "advantage_cards" | "event_cards", more = "") =>
      about(catalogue.name(id), more, effectOf(catalogue.of(section, id))),
  };
}

function Town({ of: position, catalogue }: BoardProps & { of: CathedralPosition }) {
  const card = cardsOf(catalogue);
  const advantage = (id: string) => card.text(id, "advantage_cards");
  const spaces = (builders: readonly string[]) => builders.map(colour).join(say("between"));
  const beside = (builders: readonly string[], cards: readonly string[], name: (id: string) => string) =>
    lines(cards.map((id, index) => `${id ? name(id) : say("place.no_card")}: ${colour(builders[index] ?? "")}`));
  const { drawn, event, eventDeck, stall, stock } = position;
  const [foreseen = ""] = eventDeck.length === 1 ? eventDeck : []; // more than one is a whole deck, which is hidden from all
  const cost = placingCost(position);
  const sold = Object.entries(PRICES).map(([kind, price]) => {
    const left = Number(stock?.[kind as "sand"] ?? 0);
    return say("place.stock", { price, what: amounts({ [kind]: left }) });
  });
  return (
    <Facts
      rows={[
        [say("fact.round"), say("summary.round", { round: position.round })],
        [say("fact.step"), stepTold({ case: "cathedral", value: position }, catalogue)],
        [capital(say("flag.starts")), colour(position.startingPlayer), "flag.starts"],
        [
          say("fact.drawn"),
          drawn && about(colour(drawn), cost ? say("card.costs", { number: cost }) : say("flag.free")),
          "drawn",
        ],
        [say("place.waiting_all"), all(position.waiting, colour), "wait"],
        [say("place.event"), event && card.text(event, "event_cards"), "event"],
        [say("place.to_come"), !event && foreseen && card.text(foreseen, "event_cards", say("flag.foreseen")), "event"],
        [say("place.protection"), position.protection && say("flag.protected"), "protect"],
        [say("fact.for_hire"), lines(position.supplyCraftsmen.map(card.offer)), "card.craftsman"],
        [say("fact.resource_cards"), lines(position.supplyResources.map(card.resource)), "card.resource"],
        [say("place.archbishop"), colour(position.archbishop), "archbishop"],
        [say("place.kingsbridge"), beside(position.kingsbridge, position.kingsbridgeCards, advantage), "kingsbridge"],
        [say("place.priory"), spaces(position.priory), "priory"],
        [say("place.court"), about(spaces(position.court), position.courtMetal ? amounts({ metal: 1 }) : ""), "court"],
        [say("place.tax"), taxTold(position), "die"],
        [say("place.shiring"), beside(position.shiring, position.shiringCards, card.craftsman), "shiring"],
        [say("place.castle_space"), colour(position.castle), "castle"],
        [
          say("place.market"),
          about(spaces(position.market), stall ? say("place.stall", { number: stall }) : ""),
          "market",
        ],
        [say("fact.stock"), lines([...sold, say("place.metal", { price: METAL_PRICE })]), "stock"],
        [say("place.start_space"), colour(position.start), "start"],
        [say("place.supply_all"), cubes(position.supply), "supply"],
      ]}
    />
  );
}

function People(props: BoardProps & { of: CathedralPosition }) {
  const { of: position, catalogue, seats } = props;
  const players = position.players;
  const card = cardsOf(catalogue);
  const workers = (one: CathedralPlayer) =>
    listed([
      String(one.workers),
      one.grey ? say("crew.grey", { number: one.grey }) : "",
      one.greyNext ? say("crew.next", { number: one.greyNext }) : "",
    ]);
  const rows: SeatRow[] = [
    [say("fact.flags"), players.map((one, seat) => seats[seat] && flagged(flagsOf(position, seats[seat], one)))],
    [capital(say("thing.vp")), players.map((one) => String(one.vp)), "vp"],
    [capital(say("thing.gold")), players.map((one) => String(one.gold)), "goods"],
    [say("fact.cubes"), players.map((one) => cubes({ ...one, $typeName: "clerestory.v1.CathedralCubes" })), "goods"],
    [say("fact.workers"), players.map(workers), "workers"],
    [say("place.mill"), players.map((one) => one.mill), "mill"],
    [
      say("fact.craftsmen"),
      players.map((one) => lines(one.craftsmen.filter(Boolean).map((id) => card.mate(id, one.craftsmen)))),
      "crew",
    ],
    [
      say("grid"),
      players.map((one) => lines(one.advantages.filter(Boolean).map((id) => card.text(id, "advantage_cards")))),
      "card",
    ],
    [say("fact.resource_cards"), players.map((one) => all(one.resourceCards, (id) => catalogue.name(id))), "sites"],
    [
      say("crew.bag_all"),
      players.map((one) =>
        about(String(one.bag || NOTHING), one.aside ? say("crew.aside", { number: one.aside }) : ""),
      ),
      "bag",
    ],
  ];
  return <PlayerFacts {...props} rows={rows} />;
}
