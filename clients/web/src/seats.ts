// The looks and names of seats.

import { COLOURS } from "./boards/places.ts";
import type { SeatLook } from "./boards/types.ts";
import { type GameSeat, SeatKind } from "./gen/clerestory/v1/games_pb.ts";
import type { Position } from "./gen/clerestory/v1/position_pb.ts";
import { type Turn, TurnKind } from "./gen/clerestory/v1/rules_pb.ts";
import { levelName, text } from "./text.ts";

const LETTERS = ["R", "B", "G", "Y"];
const SHAPES = ["disc", "square", "triangle", "diamond"] as const;

/** The look of a seat. */
export function look(seat: number, name = ""): SeatLook {
  const colour = COLOURS[seat] ?? "red";
  return { seat, colour, letter: LETTERS[seat] ?? "?", shape: SHAPES[seat] ?? "disc", name: name || colourName(seat) };
}

export function colourName(seat: number): string {
  return text.colours[seat] ?? `Seat ${seat}`;
}

/** The looks of the seats of a kept game. */
export function looks(seats: readonly GameSeat[]): SeatLook[] {
  return seats.map((seat) => look(seat.seat, holder(seat)));
}

/** Who holds a seat, in words. */
export function holder(seat: GameSeat): string {
  if (seat.kind === SeatKind.BOT) return `${colourName(seat.seat)} (bot, ${levelName(seat.bot?.level).toLowerCase()})`;
  if (seat.kind === SeatKind.OPEN) return `${colourName(seat.seat)} (open)`;
  return seat.name ? `${seat.name} (${colourName(seat.seat).toLowerCase()})` : colourName(seat.seat);
}

/** The number of seats of a position. */
export function seatCount(position: Position | undefined): number {
  return position?.game.value?.players.length ?? 0;
}

/** Who acts: a seat, Nature, or nobody. */
export function seatOf(turn: Turn | undefined): number | undefined {
  return turn?.kind === TurnKind.SEAT ? turn.seat : undefined;
}

/** Who acts, in words. */
export function actor(turn: Turn | undefined, seats: readonly SeatLook[]): string {
  if (turn?.kind === TurnKind.NATURE) return text.nature;
  const seat = seatOf(turn);
  return seat === undefined ? "" : (seats[seat]?.name ?? colourName(seat));
}
