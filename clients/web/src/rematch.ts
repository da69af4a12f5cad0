// Another game with the same rules, options and players.

import { games, requestName } from "./api.ts";
import { type Game, type GameSeat, Onlookers, SeatKind } from "./gen/clerestory/v1/games_pb.ts";
import { addKeys, type Keys } from "./tokens.ts";

/** Begin it, or join it where another player has begun it, and return its identifier; no stranger is shown it. */
export async function rematch(game: Game, keys: Keys): Promise<string> {
  const others = game.seats.some(({ seat, hasToken }) => hasToken && !(seat in keys.seats));
  const invitation = others ? sharedBy(game, keys) : "";
  const made = await games.createGame({
    game: game.game,
    seats: game.seats.map((seat) => planOf(seat, !invitation && seat.seat in keys.seats)),
    ...(game.options ? { options: { ...game.options, listed: game.options.listed && !invitation } } : {}),
    requestId: invitation ? `${game.gameId}:${invitation}` : requestName(),
  });
  if (!invitation) return keepKeys(made);
  const seats = await sitDown(made.game?.gameId ?? "", game, keys);
  return keepKeys(made, { seats, invitation });
}

/**
 * What the players of a finished game know, so that all name the next one alike; empty for nothing.
 *
 * Its salt, shown at its end, also where they found the game in the lobby; but not where everybody sees it.
 */
const sharedBy = ({ options, salt }: Game, { invitation = "" }: Keys): string =>
  (options?.onlookers === Onlookers.ALL ? "" : salt) || invitation;

/** The plan of a seat: where all players ask for one game, nobody may get the token of another's seat by it. */
function planOf({ kind, name, bot, hasToken }: GameSeat, mine: boolean) {
  if (kind === SeatKind.BOT && !hasToken) return { kind, ...(bot ? { bot } : {}) };
  return mine ? { kind: SeatKind.PERSON, name } : { kind: SeatKind.OPEN };
}

/** Take the seats that one held before, and return their tokens; repeated, as after a broken connection, the same. */
async function sitDown(gameId: string, game: Game, keys: Keys): Promise<Record<number, string>> {
  const tokens: Record<number, string> = {};
  for (const { seat, name } of game.seats.filter((one) => one.seat in keys.seats)) {
    const joined = await games.joinGame({ gameId, seat, name, requestId: keys.seats[seat] ?? "" });
    tokens[seat] = joined.seatToken?.token ?? "";
  }
  return tokens;
}

type Made = Awaited<ReturnType<typeof games.createGame>>;

/** Keep the tokens of a game that was made here, and more of them, and return its identifier. */
export function keepKeys(made: Made, { seats = {}, ...more }: Partial<Keys> = {}): string {
  const id = made.game?.gameId ?? "";
  const given = Object.fromEntries(made.seatTokens.map((one) => [one.seat, one.token]));
  const onlooker = made.onlookerToken ? { onlooker: made.onlookerToken } : {};
  const own = { seats: { ...given, ...seats }, owner: made.ownerToken, commitment: made.game?.commitment ?? "" };
  addKeys(id, { ...own, ...onlooker, invitation: requestName(), ...more });
  return id;
}
