// Another game with the same rules, options and players.

import { create as createMessage, toJsonString } from "@bufbuild/protobuf";
import {
  type Game,
  type GameOptions,
  GameOptionsSchema,
  type GameSeat,
  SeatKind,
} from "../gen/clerestory/v1/games_pb.ts";
import { games, requestName } from "../service/api.ts";
import { addKeys, type Keys, tokensOf } from "../service/tokens.ts";

/** Begin it, or join it where another player has begun it, and return its identifier; no stranger is shown it. */
export async function rematch(game: Game, keys: Keys): Promise<string> {
  const others = game.seats.some(({ seat, hasToken }) => hasToken && !(seat in keys.seats));
  const shared = others ? await nameOfNext(game, keys) : "";
  const made = shared && (await create(game, keys, shared));
  if (!made || !isAlike(made.game, game)) return keepKeys(await create(game, keys));
  return keepKeys(made, { seats: await sitDown(made.game?.gameId ?? "", game, keys) });
}

/** What all players of a finished game name the next one by. */
async function nameOfNext({ gameId }: Game, keys: Keys): Promise<string> {
  return (await games.getGame({ gameId, tokens: tokensOf(keys) })).rematchId;
}

/** Create it; under its shared name, no player may get the token of another's seat. */
function create(game: Game, keys: Keys, shared = "") {
  return games.createGame({
    game: game.game,
    seats: game.seats.map((seat) => planOf(seat, !shared && seat.seat in keys.seats)),
    options: optionsOf(game, !shared),
    requestId: shared || requestName(),
  });
}

/** Its options; a rematch between players is not listed for others. */
const optionsOf = ({ options = createMessage(GameOptionsSchema) }: Game, listed: boolean): GameOptions => ({
  ...options,
  listed: listed && options.listed,
});

/** Whether another player has begun it with the same options and a random deal. */
function isAlike(next: Game | undefined, game: Game): boolean {
  const told = (options = createMessage(GameOptionsSchema)) => toJsonString(GameOptionsSchema, options);
  return !next?.seedChosen && told(next?.options) === told(optionsOf(game, false));
}

/** The plan of a seat. */
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
  addKeys(id, { ...own, ...onlooker, ...more });
  return id;
}
