// Builders Duel in words: all that the drawing shows.

import type { DuelPlayer, DuelPosition } from "../../gen/clerestory/v1/duel_pb.ts";
import { apart, capital, gameText, say } from "../../language/texts.ts";
import type { SeatRow } from "../../parts/parts.tsx";
import { about, colour, Facts, flagged, lines, PlayerFacts } from "../facts.tsx";
import { COLOURS } from "../places.ts";
import { stepTold } from "../steps.ts";
import type { BoardProps, Catalogue, SeatLook } from "../types.ts";
import { listed } from "../words.ts";
import { flagsOf } from "./flags.ts";
import { gridPlace } from "./places.ts";
import { CONTEST, contested, inBank, placingPrices, slotsOf, slotTold, wantedBy } from "./sections.ts";
import { amountOf, effectOf, told } from "./words.ts";

type DuelProps = BoardProps & { of: DuelPosition };

export function Duel(props: DuelProps) {
  return (
    <>
      <Course {...props} />
      <Cards {...props} />
      <People {...props} />
    </>
  );
}

function Course({ of: position, catalogue }: DuelProps) {
  const { phase, round, step, card, unseenSeals, stack } = position;
  const contest = CONTEST.includes(step) ? contested(position) : "";
  const unseen = unseenSeals.length ? say("course.unseen", { seals: listed(unseenSeals) }) : "";
  const values = catalogue.of("buildings", "building")?.values ?? {};
  const bonus = [
    `I: ${apart(`+${values.bonus_seals}`)} ${say("thing.seals")}`,
    `II: ${apart(`+${values.bonus_gold}`)} ${say("thing.gold")}`,
    `III: ${apart(`+${values.bonus_chips}`)} ${say("camp.turned")}`,
  ];
  const prices = placingPrices(position, catalogue).map(
    (number, index) => `${index + 1}: ${say("card.costs", { number })}`,
  );
  return (
    <Facts
      rows={[
        [say("fact.phase"), say("course.phase", { phase, round }), "phases"],
        [say("fact.step"), stepTold({ case: "duel", value: position }, catalogue)],
        [say("course.power"), colour(position.power), "power"],
        [say("course.bank"), String(inBank(position)), "bank"],
        [say("fact.turn_of"), position.turnOf && colour(position.turnOf)],
        [say("fact.card"), card && catalogue.name(card)],
        [say("course.conflict"), contest && catalogue.name(contest)],
        [say("course.flipping"), position.flipping === "personal" ? say("camp.personal") : position.flipping, "face"],
        [
          say("course.seals"),
          `${say("course.stack", { count: unseenSeals.length + stack.length })} ${unseen} ${listed(stack)}`,
          "stack",
        ],
        [capital(gameText("duel", "action.build")), listed(prices), "building"],
        [say("camp.bonus"), values.bonus_seals === undefined ? "" : listed(bonus)],
      ]}
    />
  );
}

/** The nine cards with their markers. */
function Cards({ of: position, catalogue, seats }: DuelProps) {
  const holders = (place: string) =>
    seats.filter((seat) => position.players[seat.seat]?.markers.includes(place)).map((seat) => seat.name);
  return (
    <table class="grid">
      <tbody>
        {[0, 3, 6].map((first) => (
          <tr key={first}>
            {[first, first + 1, first + 2].map((index) => {
              const id = position.grid[index];
              const place = gridPlace(index);
              const marked = holders(place);
              return (
                <td key={index} title={id && catalogue.name(id)} data-about={`grid.${place}`}>
                  {id ? cardTold(id, catalogue, seats) : "–"}
                  {marked.length > 0 && <p>{say("grid.marker", { who: listed(marked) })}</p>}
                  {position.used.includes(place) && <p>{say("flag.used")}</p>}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A card with its effect, the seat it works for, and its number of uses. */
function cardTold(id: string, catalogue: Catalogue, seats: readonly SeatLook[]): string {
  const card = catalogue.of("cards", id);
  const only = seats.find((seat) => seat.colour === card?.values.frame);
  const name = card?.values.frame === "once" ? `${catalogue.name(id)} 1×` : catalogue.name(id);
  return about(name, told(effectOf(card)), only ? say("grid.only", { who: only.name }) : "");
}

function People(props: DuelProps) {
  const { of: position, catalogue, seats } = props;
  const players = position.players;
  const chips = (of: object | undefined) =>
    listed(
      Object.entries(of ?? {})
        .filter(([kind, count]) => kind !== "$typeName" && count)
        .map(([kind, count]) => amountOf(kind, count)),
    );
  const section = (name: string, placed: (one: DuelPlayer) => readonly string[]): SeatRow => [
    say("camp.section", { name }),
    players.map((one, seat) =>
      lines(slotsOf(wantedBy(catalogue, COLOURS[seat] ?? "", name), placed(one)).map(slotTold)),
    ),
    "section",
  ];
  const personal = (one: DuelPlayer) => (one.personalFlipped ? "" : `2/3 (${say("camp.personal")})`);
  const flipped = (one: DuelPlayer) => listed([...one.flipped, one.personalFlipped ? "2/3" : ""]);
  return (
    <PlayerFacts
      {...props}
      rows={[
        [say("fact.flags"), players.map((_, seat) => seats[seat] && flagged(flagsOf(position, seats[seat])))],
        [capital(say("thing.gold")), players.map((one) => String(one.gold)), "gold"],
        [capital(say("camp.camp")), players.map((one) => chips(one.camp)), "camp"],
        [say("fact.materials"), players.map((one) => chips(one.materials)), "materials"],
        [capital(say("camp.supply")), players.map((one) => chips(one.supply)), "supply"],
        section("I", (one) => one.section1),
        section("II", (one) => one.section2),
        section("III", (one) => one.section3),
        [say("course.seals"), players.map((one) => listed([...one.seals, personal(one)])), "seals"],
        [say("course.flipped"), players.map((one) => (flipped(one) ? `${flipped(one)}: ${one.sum}` : "")), "flipped"],
        [say("grid"), players.map((one) => lines(one.cards.map((id) => cardTold(id, catalogue, seats)))), "card"],
      ]}
    />
  );
}
