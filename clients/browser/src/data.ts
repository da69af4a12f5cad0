// What the build exports of a game (gamedata.py).

/** Address from the beginning of the struct, type code as in Python's module struct, and how many there are. */
export type Member = readonly [number, string, number];

/** A kind of values: its name, and its attributes in engine/positions/kinds.py. */
export interface KindData {
  readonly is: string;
  readonly [attribute: string]: unknown;
}

export interface FieldData {
  readonly name: string;
  readonly members: readonly Member[];
  readonly kind: KindData;
  /** Name of a set of cards; each card is in at most one of the fields that name the same set. */
  readonly home?: string;
  /** Value in positions written before the field existed. */
  readonly default?: unknown;
}

export interface LayoutData {
  /** Address of the first player, and bytes of one. */
  readonly players: readonly [number, number];
  readonly fields: readonly FieldData[];
  readonly playerFields: readonly FieldData[];
  /** Cards that may be in several homes. */
  readonly everywhere: readonly string[];
}

/** Source and TieBreak of engine/shared/points.py. */
export interface PointsData {
  readonly sources: readonly {
    readonly name: string;
    readonly fields: readonly string[];
    readonly factor: number;
    readonly per: number;
    readonly full: number;
    readonly constant: number;
  }[];
  readonly tieBreak: { readonly field: string; readonly last: string };
}

export interface SearchData {
  /** Name of the learned value. */
  readonly value: string;
  /** The options of the loop, as C has them in memory, in hexadecimal digits. */
  readonly loop: string;
  readonly marginShare: number;
  readonly scale: number;
  readonly choice: string;
  readonly deviations: number;
  /** Weights of the certainty of the best line. */
  readonly certainty: readonly number[];
  readonly sharpness: { readonly weights: readonly number[]; readonly firstSeat: number; readonly rounds: number };
}

export interface Constants {
  readonly even: number;
  readonly leastSharpness: number;
  readonly measured: readonly [number, number];
  readonly numLevels: number;
  readonly mostErrors: number;
  readonly seen: number;
  readonly doubtful: number;
  readonly proportion: number;
  readonly point: number;
  readonly settledVisits: number;
  readonly wellVisited: number;
  readonly maxVisits: number;
}

/** A level of play: iterations, and the loss in points at which the odds of a line fall to 1 / e. */
export interface Level {
  readonly iterations: number;
  readonly noise: number;
}

export interface Tuning {
  readonly constants: Constants;
  readonly levels: readonly Level[];
  readonly bySeats: Readonly<Record<string, SearchData>>;
}

/** Place and size of a part of a binary file, in bytes. */
type Part = readonly [number, number];

export interface MemoryData {
  readonly rows: Part;
  readonly others: Part;
  readonly priors: Part;
  readonly tables: Part;
  readonly rounds: number;
  readonly weights: string;
}

export interface GameData {
  readonly version: string;
  readonly name: string;
  readonly rulesRevision: number;
  readonly catalogue: string;
  readonly seats: readonly [number, number];
  readonly seatNames: readonly string[];
  readonly stateBytes: number;
  readonly actions: readonly string[];
  readonly labels: readonly string[];
  readonly layout: LayoutData;
  readonly points: PointsData;
  readonly tuning: Tuning;
  /** The binary files by learned value. */
  readonly memory: Readonly<Record<string, MemoryData>>;
}
