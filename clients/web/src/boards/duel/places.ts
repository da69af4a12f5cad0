// The place of each action on the board of Builders Duel.

import type { DuelPosition } from "../../gen/clerestory/v1/duel_pb.ts";
import { COLOURS, type PlaceOf, placed } from "../places.ts";

type Found = (words: readonly string[], position: DuelPosition) => string | undefined;

/** Kinds of actions without a place, only in the list of actions: they name nothing on the board. */
export const PLACELESS = ["pass", "stop", "end", "done"];

/** A place of the grid by its number in reading order, as positions name it: `2.3`. */
export const gridPlace = (index: number): string => `${Math.floor(index / 3) + 1}.${(index % 3) + 1}`;

/** The card at a place of the grid; empty if there is none. */
export function cardAt(place: string, { grid }: DuelPosition): string {
  const [row = 0, column = 0] = place.split(".").map(Number);
  return grid[3 * row + column - 4] ?? "";
}

const actor = (position: DuelPosition) => COLOURS.indexOf(position.toAct);
const own = (position: DuelPosition, thing: string, name = "") => `${actor(position)}.${thing}.${name}`;

const section: Found = ([name], position) => own(position, "section", name);
const supply: Found = ([kind], position) => own(position, "supply", kind);
const camp: Found = ([kind], position) => own(position, "camp", kind);

/** The card that an action names: the first unused one under the player's marker, else the first one. */
function card(id: string, position: DuelPosition): string | undefined {
  const { markers = [] } = position.players[actor(position)] ?? {};
  const places = position.grid.map((there, index) => (there === id ? gridPlace(index) : "")).filter(Boolean);
  const open = places.find((place) => markers.includes(place) && !position.used.includes(place));
  const found = open ?? places[0];
  return found && `grid.${found}`;
}

const PLACES: Record<string, Found> = {
  deal: (_, position) => {
    const next = position.grid.indexOf("");
    return next < 0 ? undefined : `grid.${gridPlace(next)}`;
  },
  face: () => "face",
  draw: () => "stack",
  claim: (words) => `line.${words.join(" ")}`,
  "take-back": ([place]) => `grid.${place}`,
  flip: ([seal], position) => own(position, "seal", seal),
  keep: ([seal], position) => own(position, "flipped", seal),
  use: ([id = ""], position) => card(id, position),
  play: ([id], position) => own(position, "card", id),
  build: section,
  place: section,
  return: section,
  convert: camp,
  sell: camp,
  take: supply,
  buy: ([kind], position) => (kind === "seal" ? "stack" : own(position, "supply", kind)),
  pay: ([, kind], position) => own(position, "supply", kind),
};

export const placeOf: PlaceOf<DuelPosition> = (position, kind, words) => PLACES[kind]?.(words, position);

export const places = (position: DuelPosition, actions: Parameters<typeof placed>[1]) =>
  placed(position, actions, placeOf);

/** Lines by name: their cards, as places of the grid. */
export const LINES: Record<string, readonly string[]> = {
  "row 1": ["1.1", "1.2", "1.3"],
  "row 2": ["2.1", "2.2", "2.3"],
  "row 3": ["3.1", "3.2", "3.3"],
  "column 1": ["1.1", "2.1", "3.1"],
  "column 2": ["1.2", "2.2", "3.2"],
  "column 3": ["1.3", "2.3", "3.3"],
  "diagonal down": ["1.1", "2.2", "3.3"],
  "diagonal up": ["3.1", "2.2", "1.3"],
};

/** The cards of a line, which is given as the words of a claim. */
export const lineOf = (words: readonly string[], now: DuelPosition): string[] =>
  (LINES[words.join(" ")] ?? []).map((place) => cardAt(place, now));
