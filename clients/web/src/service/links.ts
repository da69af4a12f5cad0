// Links with the tokens of a game, behind its identifier.

import { games, reasonOf } from "./api.ts";
import { addKeys, type Keys, tokensOf } from "./tokens.ts";

/** Keep the tokens of a link that open the game: none that was cut, or made up, takes the place of those kept before. */
export async function takeKeys(id: string, words: string[]): Promise<true> {
  const keys = keysIn(words);
  const tokens = tokensOf(keys);
  if (tokens.length && (await opens(id, tokens))) addKeys(id, keys);
  return true;
}

function keysIn([kind, ...rest]: string[]): Pick<Keys, "seats" | "onlooker"> {
  const pairs = rest.flatMap((seat, index) => (index % 2 ? [] : [[Number(seat), rest[index + 1]]]));
  const seats = kind === "seat" ? Object.fromEntries(pairs) : {};
  return kind === "watch" && rest[0] ? { seats, onlooker: rest[0] } : { seats };
}

const UNKNOWN = ["WRONG_SEAT_TOKEN", "NO_SUCH_GAME"];

/** Whether a game opens with these tokens. Throws where the server does not say. */
async function opens(gameId: string, tokens: string[]): Promise<boolean> {
  try {
    await games.getGame({ gameId, tokens });
    return true;
  } catch (error) {
    if (UNKNOWN.includes(reasonOf(error))) return false;
    throw error;
  }
}
