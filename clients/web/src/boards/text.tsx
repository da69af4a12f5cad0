// A position in words and tables, for screen readers, and where the board is not drawn.

import type { ComponentChildren } from "preact";
import type { CathedralCubes, CathedralPosition } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { DuelPosition } from "../gen/clerestory/v1/duel_pb.ts";
import { SeatName, SeatTable } from "../parts.tsx";
import type { BoardProps } from "./types.ts";

export default function TextBoard(props: BoardProps) {
  const { game } = props.position;
  return (
    <div class="text-board">
      {game.case === "cathedral" && <Cathedral {...props} of={game.value} />}
      {game.case === "duel" && <Duel {...props} of={game.value} />}
      {game.case === "toy" && <p>Round {game.value.round}</p>}
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

const listed = (ids: readonly string[], name: (id: string) => string) => ids.filter(Boolean).map(name).join(", ");
const plain = (id: string) => (id ? id.charAt(0).toUpperCase() + id.slice(1).replaceAll("_", " ") : "");
const cubes = (of: CathedralCubes | undefined) =>
  of ? `${of.sand} sand, ${of.wood} wood, ${of.stone} stone${of.metal === undefined ? "" : `, ${of.metal} metal`}` : "";

function Cathedral(props: BoardProps & { of: CathedralPosition }) {
  const { of: position, catalogue } = props;
  const name = (id: string) => catalogue.name(id);
  const players = position.players;
  const rows: [string, ComponentChildren[]][] = [
    ["Victory points", players.map((one) => String(one.vp))],
    ["Gold", players.map((one) => String(one.gold))],
    ["Cubes", players.map((one) => cubes({ ...one, $typeName: "clerestory.v1.CathedralCubes" }))],
    ["Workers", players.map((one) => `${one.workers}${one.grey ? ` + ${one.grey} grey` : ""}`)],
    ["Wool mill", players.map((one) => one.mill)],
    ["Craftsmen", players.map((one) => listed(one.craftsmen, name))],
    ["Cards", players.map((one) => listed(one.advantages, name))],
    ["Resource cards", players.map((one) => listed(one.resourceCards, name))],
    ["Builders in the bag", players.map((one) => one.bag)],
  ];
  return (
    <>
      <Facts
        rows={[
          ["Round", `${position.round} of 6`],
          ["Step", plain(position.step)],
          ["Starting player", plain(position.startingPlayer)],
          ["Builder drawn", position.drawn && `${plain(position.drawn)}, costs ${position.cost} gold`],
          ["Waiting builders", listed(position.waiting, plain)],
          ["Event", position.event && name(position.event)],
          ["Tax die", position.die],
          ["Craftsmen for hire", listed(position.supplyCraftsmen, name)],
          ["Resource cards", listed(position.supplyResources, name)],
          ["Archbishop's seat", plain(position.archbishop)],
          ["Castle", plain(position.castle)],
          ["Next starting player", plain(position.start)],
          [
            "Kingsbridge",
            `${listed(position.kingsbridge, plain) || "–"}; cards: ${listed(position.kingsbridgeCards, name) || "–"}`,
          ],
          ["Priory", listed(position.priory, plain)],
          [
            "Shiring",
            `${listed(position.shiring, plain) || "–"}; craftsmen: ${listed(position.shiringCards, name) || "–"}`,
          ],
          ["King's court", listed(position.court, plain)],
          ["Market", listed(position.market, plain)],
          ["Market stock", cubes(position.stock)],
          ["General supply", cubes(position.supply)],
        ]}
      />
      <Players {...props} rows={rows} />
    </>
  );
}

function Duel(props: BoardProps & { of: DuelPosition }) {
  const { of: position, catalogue } = props;
  const name = (id: string) => catalogue.name(id);
  const players = position.players;
  const marked = (place: string) =>
    props.seats.filter((seat) => players[seat.seat]?.markers.includes(place)).map((seat) => seat.letter);
  const chips = (of: object | undefined) =>
    Object.entries(of ?? {})
      .filter(([kind, count]) => kind !== "$typeName" && count)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ");
  return (
    <>
      <Facts
        rows={[
          ["Phase", `${position.phase} of 4, round ${position.round} of 3`],
          ["Step", plain(position.step)],
          ["Power", plain(position.power)],
          ["Turn of", plain(position.turnOf)],
          ["Card in use", position.card && name(position.card)],
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
          ["Gold", players.map((one) => String(one.gold))],
          ["Camp", players.map((one) => chips(one.camp))],
          ["Materials", players.map((one) => chips(one.materials))],
          ["Supply", players.map((one) => chips(one.supply))],
          ["Section I", players.map((one) => listed(one.section1, plain))],
          ["Section II", players.map((one) => listed(one.section2, plain))],
          ["Section III", players.map((one) => listed(one.section3, plain))],
          ["Seals", players.map((one) => one.seals.join(", "))],
          ["Seals flipped", players.map((one) => (one.flipped.length ? `${one.flipped.join(", ")}: ${one.sum}` : ""))],
          ["Cards", players.map((one) => listed(one.cards, name))],
        ]}
      />
    </>
  );
}
