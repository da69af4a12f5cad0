// The place of each action on a board. The list of actions has all of them, also those without a place.

import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import type { Mark } from "./types.ts";

/** The colours of seats as positions name them, by seat. */
export const COLOURS = ["red", "blue", "green", "yellow"];

/** Returns the place of an action on the board; undefined if it has none. */
export type PlaceOf<Game> = (game: Game, kind: string, words: readonly string[]) => string | undefined;

/** The actions at each place. */
export type Places = ReadonlyMap<string, readonly LegalAction[]>;

/** Actions by their place. */
export function placed<Game>(game: Game, actions: readonly LegalAction[], placeOf: PlaceOf<Game>): Places {
  const found = new Map<string, LegalAction[]>();
  for (const action of actions) {
    const place = placeOf(game, action.kind, action.arguments);
    if (place === undefined) continue;
    const there = found.get(place);
    if (there) there.push(action);
    else found.set(place, [action]);
  }
  return found;
}

/** Text of an action. */
export const textOf = (action: LegalAction): string => action.action?.text ?? "";

/** The best of the marks on some actions: that of the move to play, else the first. */
export function bestMark(actions: readonly LegalAction[], marks: readonly Mark[]): Mark | undefined {
  const texts = actions.map(textOf);
  const found = marks.filter((mark) => texts.includes(mark.action));
  return found.find((mark) => mark.best) ?? found[0];
}
