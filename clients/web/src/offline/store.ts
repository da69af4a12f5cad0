// Where games are kept: in the browser's database, or in memory for tests.

import { Code } from "@connectrpc/connect";
import { failure } from "./failure.ts";
import type { StoredGame } from "./hosted.ts";

export interface Store {
  get(id: string): Promise<StoredGame | undefined>;
  all(): Promise<StoredGame[]>;
  /** Replace the stored game that has the given number of entries; return false if it has changed or is gone. */
  put(game: StoredGame, after: number): Promise<boolean>;
}

/** Number of entries before a game is stored for the first time. */
export const NEW = -1;

const GAMES = "games";

export function inMemory(): Store {
  const games = new Map<string, StoredGame>();
  return {
    get: async (id) => games.get(id),
    all: async () => [...games.values()],
    put: async (game, after) => {
      if ((games.get(game.id)?.entries.length ?? NEW) !== after) return false;
      games.set(game.id, game);
      return true;
    },
  };
}

/** The database of this origin, which pages in several tabs share. */
export async function inBrowser(name = "clerestory"): Promise<Store> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(GAMES, { keyPath: "id" });
  const database = await done(opening);
  const reading = () => database.transaction(GAMES).objectStore(GAMES);
  return {
    get: (id) => done(reading().get(id)),
    all: () => done(reading().getAll()),
    put: (game, after) => put(database, game, after),
  };
}

async function put(database: IDBDatabase, game: StoredGame, after: number): Promise<boolean> {
  const transaction = database.transaction(GAMES, "readwrite", { durability: "strict" });
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
  const games = transaction.objectStore(GAMES);
  const asked: IDBRequest<StoredGame | undefined> = games.get(game.id);
  let current = true;
  asked.onsuccess = () => {
    current = (asked.result?.entries.length ?? NEW) === after;
    if (current) games.put(game);
  };
  await ended.catch((error) => {
    throw failure("DISK_FULL", `the browser does not store the game: ${error}`, { code: Code.ResourceExhausted });
  });
  return current;
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
