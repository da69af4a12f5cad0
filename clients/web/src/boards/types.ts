// What a board is given, and what it says back. A board draws a position; it knows no rule: what can be done is in
// `actions`, what a card is called and worth is in `catalogue`.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";

/** A card of the catalogue, or another of its entries. */
export interface Card {
  id: string;
  section: string;
  name: string;
  /** Its values, by name, as the catalogue's JSON says them. */
  values: Readonly<Record<string, unknown>>;
}

/** The catalogue of a game: its entries by id. Ids are unique within a section only; `of` looks in one section. */
export interface Catalogue {
  card(id: string): Card | undefined;
  of(section: string, id: string): Card | undefined;
  /** What a card is called, in the language of the page; its id where the catalogue does not know it. */
  name(id: string): string;
}

/** How a seat is told apart: never by colour alone. */
export interface SeatLook {
  seat: number;
  /** Name of its colour in positions: `red`, `blue`, `green`, `yellow`. */
  colour: string;
  letter: string;
  shape: "disc" | "square" | "triangle" | "diamond";
  /** Who sits there, to be shown. */
  name: string;
}

/** An action that hints point at. */
export interface Mark {
  /** Text of the action. */
  action: string;
  /** 1 is best; not set where only the place is to be shown. */
  rank?: number;
  /** Win share of the seat to decide, 0 to 1; not set where no figures are to be shown. */
  share?: number;
}

export interface BoardProps {
  position: Position;
  /** The position before, where what changed is to be shown. */
  previous?: Position | undefined;
  catalogue: Catalogue;
  /** By seat. */
  seats: readonly SeatLook[];
  /** The seat that looks on; not set for an onlooker. */
  viewer?: number | undefined;
  /** What may be done now; empty where nothing can be clicked. */
  actions: readonly LegalAction[];
  /** What hints point at, best first. */
  marks: readonly Mark[];
  /** Text of the action that is pointed at elsewhere, in the list or in the table of hints. */
  pointed?: string | undefined;
  /** The position has not come up: it is what a line would lead to. */
  ghost: boolean;
  /** The person chooses an action, by its text. */
  onAction(text: string): void;
  /** The person points at an action, or no longer at any. */
  onPoint(text: string | undefined): void;
}
