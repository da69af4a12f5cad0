// The looks and names of seats.

import { type Game, type GameSeat, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { type Outcome, type Turn, TurnKind } from "../gen/clerestory/v1/rules_pb.ts";
import { levelName } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { COLOURS } from "./places.ts";
import type { SeatLook } from "./types.ts";

const NAMED = ["red", "blue", "green", "yellow"] as const;
const LETTERS = ["R", "B", "G", "Y"];
const SHAPES = ["disc", "square", "triangle", "diamond"] as const;

/** The look of a seat. */
export function look(seat: number, name = "", about = "", character = ""): SeatLook {
  const colour = COLOURS[seat] ?? "red";
  const letter = LETTERS[seat] ?? "?";
  return { seat, colour, letter, shape: SHAPES[seat] ?? "disc", name: name || colourName(seat), about, character };
}

/** The name of a bot; it begins with the letter of its seat. */
function botName(seat: number): string {
  const colour = COLOURS[seat] as (typeof NAMED)[number] | undefined;
  return colour ? say(`bot.${colour}`) : "";
}

export function colourName(seat: number): string {
  const colour = COLOURS[seat] as (typeof NAMED)[number] | undefined;
  return colour ? say(`colour.${colour}`) : say("colour.none", { seat });
}

/** The looks of the seats of a kept game by the names of who holds them, with their colours where two have the same. */
export function looks(seats: readonly GameSeat[]): SeatLook[] {
  const names = seats.map((seat) => seat.name || (seat.kind === SeatKind.BOT ? botName(seat.seat) : ""));
  const twice = (name: string) => names.filter((one) => one === name).length > 1;
  return seats.map((seat, index) =>
    look(seat.seat, both(seat, names[index] ?? "", twice), holder(seat), seat.bot?.character),
  );
}

const both = ({ seat }: GameSeat, name: string, twice: (name: string) => boolean) =>
  name && twice(name) ? say("seat.both", { name, colour: colourName(seat) }) : name;

/** Who holds a seat, beside its name. */
function holder(seat: GameSeat): string {
  if (seat.kind === SeatKind.BOT) return say("seat.bot", { level: levelName(seat.bot?.level) });
  return seat.kind === SeatKind.OPEN ? say("seat.open") : "";
}

/** The looks of those who won, of several who share the win. */
export function winnersOf({ winShares }: Outcome, seats: readonly SeatLook[]): SeatLook[] {
  const best = Math.max(...winShares);
  return seats.filter(({ seat }) => winShares[seat] === best);
}

/** The number of seats of a position. */
export function seatCount(position: Position | undefined): number {
  return position?.game.value?.players.length ?? 0;
}

/** The acting seat, Nature, or none. */
export function seatOf(turn: Turn | undefined): number | undefined {
  return turn?.kind === TurnKind.SEAT ? turn.seat : undefined;
}

/** Who acts, in words. */
export function actor(turn: Turn | undefined, seats: readonly SeatLook[]): string {
  if (turn?.kind === TurnKind.NATURE) return say("nature");
  const seat = seatOf(turn);
  return seat === undefined ? "" : (seats[seat]?.name ?? colourName(seat));
}

/** Whether a bot plays a seat. */
export const isBot = (game: Game | undefined, seat: number): boolean => game?.seats[seat]?.kind === SeatKind.BOT;

/** Whether one of some seats is to decide, and no bot does it. */
export function isToMove(game: Game | undefined, seats: readonly number[]): boolean {
  const turn = seatOf(game?.turn);
  return turn !== undefined && seats.includes(turn) && !isBot(game, turn);
}
