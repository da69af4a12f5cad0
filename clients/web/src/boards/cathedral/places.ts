// The place of each action on the board of The Pillars of the Earth.

import type { CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import { COLOURS, type PlaceOf, placed } from "../places.ts";

type Found = (words: readonly string[], position: CathedralPosition) => string | undefined;

/** The first empty one of some spaces, as a place. */
const free = (name: string, spaces: readonly string[]) => {
  const at = spaces.indexOf("");
  return at < 0 ? undefined : `${name}.${at + 1}`;
};

const own = (position: CathedralPosition, thing: string, name = "") =>
  `${COLOURS.indexOf(position.toAct)}.${thing}.${name}`;

const goods: Found = ([type], position) => own(position, "goods", type);
const craftsman: Found = ([card], position) => own(position, "craftsman", card);

/** Kinds of actions without a place, only in the list of actions: they name nothing on the board. */
export const PLACELESS = ["leave-out", "pass", "save", "decline", "finish"];

const PLACES: Record<string, Found> = {
  advantage: (_, position) => free("kingsbridge", position.kingsbridgeCards),
  craftsman: (_, position) => free("shiring", position.shiringCards),
  draw: ([colour]) => `bag.${colour}`,
  event: () => "event",
  roll: () => "die",
  take: ([card]) => `draft.${card}`,
  hire: ([card]) => `draft.${card}`,
  redraw: () => "redraw",
  accept: () => "drawn",
  wait: () => "wait",
  place: ([, space = ""], position) => building(space, position),
  use: ([card], position) => own(position, "card", card),
  protect: () => "protect",
  gain: ([type], position) => (position.step === "archbishop" ? `stock.${type}` : `supply.${type}`),
  buy: ([type]) => `stock.${type}`,
  sell: goods,
  discard: goods,
  convert: craftsman,
  dismiss: craftsman,
  leave: (_, position) => (position.stall ? `market.${position.stall}` : undefined),
};

/** The space for a builder: the given one, or the lowest free one of a location. */
function building(space: string, position: CathedralPosition): string | undefined {
  if (space === "priory") return free(space, position.priory);
  if (space === "court") return free(space, position.court);
  if (space === "market") return free(space, position.market);
  return space;
}

export const placeOf: PlaceOf<CathedralPosition> = (position, kind, words) => PLACES[kind]?.(words, position);

export const places = (position: CathedralPosition, actions: Parameters<typeof placed>[1]) =>
  placed(position, actions, placeOf);

// The location of each step.
const DUE: Record<string, string> = {
  advantages: "kingsbridge",
  craftsmen: "shiring",
  resources: "draft",
  draft: "draft",
  draw: "track",
  redraw: "track",
  builder: "track",
  waiting: "track",
  event: "event",
  protection: "archbishop",
  thomas: "event",
  event_choice: "event",
  archbishop: "archbishop",
  tax: "court",
  exemption: "court",
  shiring: "shiring",
  market: "market",
  cathedral: "cathedral",
  keep: "cathedral",
};

/** The part of the board that belongs to a step. */
export const due = (step: string): string | undefined => DUE[step];
