// The tokens of this browser's games, stored in it and sent only in calls about their game.

import { browser, store, stored } from "../browser/storage.ts";

const PREFIX = "game:";

/** The tokens of this browser for a game. */
export interface Keys {
  /** Token by seat. */
  seats: Record<number, string>;
  owner?: string;
  onlooker?: string;
  /** The hash of the deal, as this browser saw it first. */
  commitment?: string;
  /** When it was last opened, in milliseconds. */
  opened: number;
}

/** The keys of a game; none yet for one that is new here. */
export const keysOf = (game: string): Keys => stored(PREFIX + game, { seats: {}, opened: 0 });

/** Whether a seat of a game is of this browser. */
export const sitsIn = (game: string): boolean => Object.keys(keysOf(game).seats).length > 0;

/** Add to the keys of a game. */
export function addKeys(game: string, more: Partial<Keys>): Keys {
  const keys = keysOf(game);
  const added = { ...keys, ...more, seats: { ...keys.seats, ...more.seats }, opened: Date.now() };
  store(PREFIX + game, added);
  return added;
}

/** Keep a token of a game no longer. */
export function dropToken(game: string, token: string): Keys {
  const { seats, owner, onlooker, ...more } = keysOf(game);
  const left = {
    ...more,
    seats: Object.fromEntries(Object.entries(seats).filter(([, one]) => one !== token)),
    ...(owner && owner !== token ? { owner } : {}),
    ...(onlooker && onlooker !== token ? { onlooker } : {}),
  };
  store(PREFIX + game, left);
  return left;
}

/** Forget a game. */
export function forget(game: string): void {
  browser.remove(PREFIX + game);
}

/** The tokens of a game for viewing: those of seats, else the owner's, else the onlookers'. */
export function tokensOf(keys: Omit<Keys, "opened">): string[] {
  const seats = Object.values(keys.seats);
  if (seats.length) return keys.owner ? [...seats, keys.owner] : seats;
  return [keys.owner ?? keys.onlooker ?? ""].filter(Boolean);
}

/** Identifies a player to the server, so that browsers at one address share it fairly; empty for an onlooker. */
export function seatShown(game: string): string {
  const token = Object.values(keysOf(game).seats)[0];
  return token ? `${game} ${token}` : "";
}

/** The games that this browser has keys of, last opened first. */
export function ownGames(): string[] {
  const ids = browser.keys().filter((name) => name.startsWith(PREFIX));
  const games = ids.map((name) => name.slice(PREFIX.length));
  return games.sort((one, other) => keysOf(other).opened - keysOf(one).opened);
}

/** The first token of each of the user's games, which is enough to find it. */
export function ownTokens(): string[] {
  const keys = ownGames().map(keysOf);
  const tokens = keys.map((one) => Object.values(one.seats)[0] ?? one.owner ?? one.onlooker ?? "");
  return tokens.filter(Boolean).slice(0, 100);
}
