// Which place of a board each action belongs to. What has no place stays in the list of actions, which has them all.

import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";
import type { Mark } from "./types.ts";

/** Says where on the board an action is; nothing where it is nowhere. */
export type PlaceOf<Game> = (game: Game, kind: string, words: readonly string[]) => string | undefined;

/** What can be done at each place. */
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

/** The best of the marks on some actions. */
export function bestMark(actions: readonly LegalAction[], marks: readonly Mark[]): Mark | undefined {
  const texts = actions.map(textOf);
  return marks.find((mark) => texts.includes(mark.action));
}
