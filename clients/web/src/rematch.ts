// Another game with the same rules, options and players.

import { games, requestName } from "./api.ts";
import { type Game, type GameSeat, SeatKind } from "./gen/clerestory/v1/games_pb.ts";
import { addKeys, type Keys } from "./tokens.ts";

/** Begin it, with seats of others open for them, and return its identifier. */
export async function rematch(game: Game, keys: Keys): Promise<string> {
  const made = await games.createGame({
    game: game.game,
    seats: game.seats.map((seat) => planOf(seat, seat.seat in keys.seats)),
    ...(game.options ? { options: game.options } : {}),
    requestId: requestName(),
  });
  return keepKeys(made);
}

function planOf({ kind, name, bot }: GameSeat, mine: boolean) {
  if (kind === SeatKind.BOT && !mine) return { kind, ...(bot ? { bot } : {}) };
  return mine ? { kind: SeatKind.PERSON, name } : { kind: SeatKind.OPEN };
}

type Made = Awaited<ReturnType<typeof games.createGame>>;

/** Keep the tokens of a game that was made here, and return its identifier. */
export function keepKeys(made: Made): string {
  const id = made.game?.gameId ?? "";
  const seats = Object.fromEntries(made.seatTokens.map((one) => [one.seat, one.token]));
  const onlooker = made.onlookerToken ? { onlooker: made.onlookerToken } : {};
  addKeys(id, { seats, owner: made.ownerToken, commitment: made.game?.commitment ?? "", ...onlooker });
  return id;
}
