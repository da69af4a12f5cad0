// The cards of each game, requested once.

import { catalogueOf, EMPTY } from "../boards/catalogue.ts";
import type { Catalogue } from "../boards/types.ts";
import { rules } from "./api.ts";
import { useLoaded } from "./loading.ts";

const asked = new Map<string, Promise<Catalogue>>();

/** The catalogue of a game, as soon as it has been loaded. */
export const useCatalogue = (game: string): Catalogue => useLoaded(game, () => catalogueFor(game)).found ?? EMPTY;

function catalogueFor(game: string): Promise<Catalogue> {
  let found = asked.get(game);
  if (!found) {
    found = rules.describeCatalogue({ game }).then((answer) => catalogueOf(answer.entries));
    found.catch(() => asked.delete(game));
    asked.set(game, found);
  }
  return found;
}
