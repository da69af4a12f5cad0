// A position in words and tables, for screen readers, and where the board is not drawn.

import type { ComponentChildren } from "preact";
import type { CathedralCubes, CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { DuelPosition } from "../gen/clerestory/v1/duel_pb.ts";
import { SeatName, SeatTable } from "../parts.tsx";
import { colourName } from "../seats.ts";
import { capital, gameText, type Key, say, sayAny } from "../texts.ts";
import { amounts } from "./cathedral/words.ts";
import { COLOURS } from "./places.ts";
import type { BoardProps } from "./types.ts";
import { listed } from "./words.ts";

export default function TextBoard(props: BoardProps) {
  const { game } = props.position;
  return (
    <div class="text-board">
      {game.case === "cathedral" && <Cathedral {...props} of={game.value} />}
      {game.case === "duel" && <Duel {...props} of={game.value} />}
      {game.case === "toy" && <p>{`${say("fact.round")} ${game.value.round}`}</p>}
    </div>
  );
}

type Row = [string, ComponentChildren];

/** The rows that are not empty. */
function Facts({ rows }: { rows: Row[] }) {
  return (
    <dl>
      {rows
        .filter(([, value]) => value !== "" && value !== 0 && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** One row for each thing, one column for each player. */
function Players({ seats, viewer, rows }: BoardProps & { rows: [string, ComponentChildren[]][] }) {
  const heads = seats.map((seat) => <SeatName key={seat.seat} look={seat} mine={seat.seat === viewer} />);
  const full = rows.map(([name, cells]) => [name, seats.map((seat) => cells[seat.seat] || "–")] as const);
  return <SeatTable class="players" heads={heads} rows={full} />;
}

const all = (ids: readonly string[], name: (id: string) => string) => listed(ids.filter(Boolean).map(name));
const colour = (name: string) => {
  const seat = COLOURS.indexOf(name);
  return seat < 0 ? name : colourName(seat);
};
const cubes = (of: CathedralCubes | undefined) =>
  of
    ? amounts({ sand: of.sand, wood: of.wood, stone: of.stone, ...(of.metal === undefined ? {} : { metal: of.metal }) })
    : "";
const step = (game: "cathedral" | "duel", name: string) => sayAny(`step.${game}.${name}` as Key);

function Cathedral(props: BoardProps & { of: CathedralPosition }) {
  const { of: position, catalogue } = props;
  const name = (id: string) => catalogue.name(id);
  const players = position.players;
  const beside = (builders: readonly string[], cards: readonly string[]) =>
    `${all(builders, colour) || "–"}; ${say("fact.cards", { cards: all(cards, name) || "–" })}`;
  const rows: [string, ComponentChildren[]][] = [
    [capital(say("thing.vp")), players.map((one) => String(one.vp))],
    [capital(say("thing.gold")), players.map((one) => String(one.gold))],
    [say("fact.cubes"), players.map((one) => cubes({ ...one, $typeName: "clerestory.v1.CathedralCubes" }))],
    [
      say("fact.workers"),
      players.map((one) => listed([String(one.workers), one.grey ? say("crew.grey", { number: one.grey }) : ""])),
    ],
    [say("place.mill"), players.map((one) => one.mill)],
    [say("fact.craftsmen"), players.map((one) => all(one.craftsmen, name))],
    [say("grid"), players.map((one) => all(one.advantages, name))],
    [say("fact.resource_cards"), players.map((one) => all(one.resourceCards, name))],
    [say("crew.bag_all"), players.map((one) => one.bag)],
  ];
  return (
    <>
      <Facts
        rows={[
          [say("fact.round"), say("summary.round", { round: position.round })],
          [say("fact.step"), step("cathedral", position.step)],
          [capital(say("flag.starts")), colour(position.startingPlayer)],
          [
            say("fact.drawn"),
            position.drawn && listed([colour(position.drawn), say("card.costs", { number: position.cost })]),
          ],
          [say("place.waiting_all"), all(position.waiting, colour)],
          [say("place.event"), position.event && name(position.event)],
          [say("place.tax"), position.die],
          [say("fact.for_hire"), all(position.supplyCraftsmen, name)],
          [say("fact.resource_cards"), all(position.supplyResources, name)],
          [say("place.archbishop"), colour(position.archbishop)],
          [say("place.castle"), colour(position.castle)],
          [say("place.start_space"), colour(position.start)],
          [say("place.kingsbridge"), beside(position.kingsbridge, position.kingsbridgeCards)],
          [say("place.priory"), all(position.priory, colour)],
          [say("place.shiring"), beside(position.shiring, position.shiringCards)],
          [say("place.court"), all(position.court, colour)],
          [say("place.market"), all(position.market, colour)],
          [say("fact.stock"), cubes(position.stock)],
          [say("place.supply_all"), cubes(position.supply)],
        ]}
      />
      <Players {...props} rows={rows} />
    </>
  );
}

function Duel(props: BoardProps & { of: DuelPosition }) {
  const { of: position, catalogue } = props;
  const name = (id: string) => catalogue.name(id);
  const good = (kind: string) => gameText("duel", `good.${kind}`);
  const players = position.players;
  const marked = (place: string) =>
    props.seats.filter((seat) => players[seat.seat]?.markers.includes(place)).map((seat) => seat.letter);
  const chips = (of: object | undefined) =>
    listed(
      Object.entries(of ?? {})
        .filter(([kind, count]) => kind !== "$typeName" && count)
        .map(([kind, count]) => `${count} ${good(kind)}`),
    );
  return (
    <>
      <Facts
        rows={[
          [say("fact.phase"), say("course.phase", { phase: position.phase, round: position.round })],
          [say("fact.step"), step("duel", position.step)],
          [say("course.power"), colour(position.power)],
          [say("fact.turn_of"), colour(position.turnOf)],
          [say("fact.card"), position.card && name(position.card)],
        ]}
      />
      <table class="grid">
        <tbody>
          {[1, 2, 3].map((row) => (
            <tr key={row}>
              {[1, 2, 3].map((column) => (
                <td key={column}>
                  {position.grid[3 * row + column - 4] ? name(position.grid[3 * row + column - 4] as string) : "–"}
                  <small> {marked(`${row}.${column}`).join(" ")}</small>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Players
        {...props}
        rows={[
          [capital(say("thing.gold")), players.map((one) => String(one.gold))],
          [capital(say("camp.camp")), players.map((one) => chips(one.camp))],
          [say("fact.materials"), players.map((one) => chips(one.materials))],
          [capital(say("camp.supply")), players.map((one) => chips(one.supply))],
          [say("camp.section", { name: "I" }), players.map((one) => all(one.section1, good))],
          [say("camp.section", { name: "II" }), players.map((one) => all(one.section2, good))],
          [say("camp.section", { name: "III" }), players.map((one) => all(one.section3, good))],
          [say("course.seals"), players.map((one) => listed(one.seals))],
          [
            say("course.flipped"),
            players.map((one) => (one.flipped.length ? `${listed(one.flipped)}: ${one.sum}` : "")),
          ],
          [say("grid"), players.map((one) => all(one.cards, name))],
        ]}
      />
    </>
  );
}
