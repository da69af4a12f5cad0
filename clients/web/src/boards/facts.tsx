// What boards in words are made of: facts, and a table of the players.

import type { ComponentChildren } from "preact";
import { SeatName, type SeatRow, SeatTable } from "../parts/parts.tsx";
import { COLOURS } from "./places.ts";
import type { PossibleFlag } from "./player.tsx";
import { colourName } from "./seats.ts";
import type { BoardProps } from "./types.ts";
import { listed } from "./words.ts";

/** Its name, the text about it, and its part of the board. */
type Row = [string, ComponentChildren, string?];

/** The rows that say something. */
export function Facts({ rows }: { rows: Row[] }) {
  return (
    <dl>
      {rows
        .filter(([, value]) => value !== "" && value !== 0 && value !== false && value !== undefined)
        .map(([name, value, part]) => (
          <div key={name} data-about={part}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** One row for each thing, one column for each player. */
export function PlayerFacts({ seats, viewer, rows }: BoardProps & { rows: SeatRow[] }) {
  const heads = seats.map((seat) => <SeatName key={seat.seat} look={seat} mine={seat.seat === viewer} />);
  const full = rows.map(
    ([name, cells, part]): SeatRow => [name, seats.map((seat) => cells[seat.seat] || NOTHING), part],
  );
  return <SeatTable class="players" heads={heads} rows={full} />;
}

/** Things that need a line each; nothing for none. */
export const lines = (of: readonly string[]): ComponentChildren =>
  of.length ? (
    <ul>
      {of.map((one, index) => (
        <li key={index}>{one}</li>
      ))}
    </ul>
  ) : (
    ""
  );

export const NOTHING = "–";

/** The possible flags that are set. */
export const flagged = (of: readonly PossibleFlag[]): string => listed(of.map(([is, , words]) => (is ? words : "")));

/** What something is called, and more about it. */
export const about = (name: string, ...more: string[]): string => {
  const told = listed(more);
  return told ? `${name} (${told})` : name;
};

export const all = (ids: readonly string[], name: (id: string) => string) => listed(ids.filter(Boolean).map(name));

/** The name of a colour; a dash for an empty space. */
export const colour = (name: string): string => {
  const seat = COLOURS.indexOf(name);
  return seat < 0 ? name || NOTHING : colourName(seat);
};
