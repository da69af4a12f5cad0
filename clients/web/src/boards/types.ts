// The interface of boards. A board draws a position and contains no rules: the legal actions are in
// `actions`, the names and values of cards in `catalogue`.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { LegalAction } from "../gen/clerestory/v1/rules_pb.ts";

/** A card of the catalogue, or another of its entries. */
export interface Card {
  id: string;
  section: string;
  name: string;
  /** Its values by name, as in the catalogue's JSON. */
  values: Readonly<Record<string, unknown>>;
}

/** The catalogue of a game: its entries by id. Ids are unique within a section only; `of` looks in one section. */
export interface Catalogue {
  /** Whether it has been loaded; nothing has a name before. */
  known: boolean;
  card(id: string): Card | undefined;
  of(section: string, id: string): Card | undefined;
  /** All entries of a section. */
  all(section: string): readonly Card[];
  /** The name of a card in the language of the page; its id if the catalogue does not have it. */
  name(id: string): string;
}

/** Something that can be planned, such as a card. */
export interface ItemProps {
  id: string;
  catalogue: Catalogue;
}

/** How a seat is distinguished: never by colour alone. */
export interface SeatLook {
  seat: number;
  /** Name of its colour in positions: `red`, `blue`, `green`, `yellow`. */
  colour: string;
  letter: string;
  shape: "disc" | "square" | "triangle" | "diamond";
  /** The displayed name of its holder. */
  name: string;
  /** More about the holder, such as the level of a bot; empty if there is nothing. */
  about: string;
  /** The character of a bot; empty for others. */
  character: string;
}

/** An action marked by hints. */
export interface Mark {
  /** Text of the action. */
  action: string;
  /** Its place in the table of hints, from 1; not set to show only the place. */
  rank?: number;
  /** It is the move to play. */
  best?: boolean;
  /** Win share of the seat to decide, 0 to 1; not set to show no figures. */
  share?: number;
}

export interface BoardProps {
  position: Position;
  /** The previous position, to show changes. */
  previous?: Position | undefined;
  catalogue: Catalogue;
  /** By seat. */
  seats: readonly SeatLook[];
  /** The points of each seat, as the service says them; unknown where no game is shown. */
  points?: readonly number[];
  /** The viewer's seat; not set for an onlooker. */
  viewer?: number | undefined;
  /** The legal actions; empty if nothing can be clicked. */
  actions: readonly LegalAction[];
  /** The actions marked by hints, best first. */
  marks: readonly Mark[];
  /** Text of the action under the pointer in the list or in the table of hints. */
  pointed?: string | undefined;
  /** The game has been ended early. */
  early?: boolean | undefined;
  /** The position is not real: a line would lead to it. */
  ghost: boolean;
  /** The person chooses an action, by its text. */
  onAction(text: string): void;
  /** The person points at an action, or no longer at any. */
  onPoint(text: string | undefined): void;
}
