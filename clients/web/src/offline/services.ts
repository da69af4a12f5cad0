// All services of the page that plays without a server.

import type { Engine, GameName } from "@clerestory/engine";
import type { ConnectRouter } from "@connectrpc/connect";
import { AdvisorService } from "../gen/clerestory/v1/advisor_pb.ts";
import { GameService } from "../gen/clerestory/v1/games_pb.ts";
import { RulesService } from "../gen/clerestory/v1/rules_pb.ts";
import { adviceOf } from "./advice.ts";
import { Games } from "./games.ts";
import { rulesOf } from "./rules.ts";
import type { Store } from "./store.ts";
import { type ReadData, wordsOf } from "./words.ts";

/** What the services are made of; tests replace it. */
export interface Parts {
  readonly store: Store;
  /** Load the engine of a game. */
  load(game: GameName): Promise<Engine>;
  read: ReadData;
  random(count: number): Uint8Array;
  now(): number;
  announce(id: string): void;
}

/** The services for a router, and what pages in other tabs change. */
export function servicesOf({ store, load, read, random, now, announce }: Parts) {
  const words = wordsOf(read);
  const [engine, advisor] = [loaded(load), loaded(load)]; // so that bots do not wait for hints
  const games = new Games({ store, engine, words, random, now, announce });
  const routes = (router: ConnectRouter) => {
    router.service(GameService, games.service);
    router.service(RulesService, rulesOf({ engine, words, read }));
    router.service(AdvisorService, adviceOf({ engine: advisor, words }));
  };
  return { routes, changed: games.changed };
}

/** The engine of each game, loaded once. */
function loaded(load: (game: GameName) => Promise<Engine>): (game: GameName) => Promise<Engine> {
  const engines = new Map<GameName, Promise<Engine>>();
  return (game) => {
    const engine = engines.get(game) ?? load(game);
    engines.set(game, engine);
    engine.catch(() => engines.delete(game));
    return engine;
  };
}
