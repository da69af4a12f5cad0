// The errors of the engine: one class for each way in which a caller can react.

/** A fault of an argument: the path of the field, and the problem. */
export interface Violation {
  readonly field: string;
  readonly problem: string;
}

/** An error that a caller can handle. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}

/** A position that is not one of this game, with everything that is wrong with it. */
export class BadPosition extends EngineError {
  override readonly name = "BadPosition";
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(violations.map(({ field, problem }) => `${field}: ${problem}`).join("; "));
    this.violations = violations;
  }
}

/** An action that does not exist, or is not legal in the position. */
export class IllegalAction extends EngineError {
  override readonly name = "IllegalAction";
  /** Texts of the legal actions; empty if the game is over. */
  readonly legal: readonly string[];

  constructor(message: string, legal: readonly string[]) {
    super(message);
    this.legal = legal;
  }
}

/** An option out of its range. */
export class BadOption extends EngineError {
  override readonly name = "BadOption";
  readonly option: string;

  constructor(option: string, problem: string) {
    super(`${option}: ${problem}`);
    this.option = option;
  }
}

/** Return a value as it is quoted in messages. */
export function quoted(value: unknown): string {
  const text = typeof value === "bigint" ? `${value}` : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

/** Require an object without options that do not exist, by the type whose names are given. Throws BadOption. */
export function requireOptions<T extends object>(value: T, names: Readonly<Record<keyof T, true>>): T {
  if (typeof value !== "object" || value === null) {
    throw new BadOption("options", `${quoted(value)} is not an object of options`);
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return value;
  throw new BadOption(unknown.slice(0, 80), `is not one of the options ${Object.keys(names).join(", ")}`);
}

/** Require a yes or no. Throws BadOption. */
export function requireFlag(option: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new BadOption(option, `${quoted(value)} is neither true nor false`);
}

/** Require a whole number in a range. Throws BadOption. */
export function requireWhole(option: string, value: unknown, low: number, high: number): number {
  if (typeof value === "number" && Number.isInteger(value) && low <= value && value <= high) return value;
  throw new BadOption(option, `${quoted(value)} is not a whole number from ${low} to ${high}`);
}

const SEEDS = 1n << 64n;

/** Require a seed. Throws BadOption. */
export function requireSeed(value: unknown): bigint {
  const whole = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof whole === "bigint" && whole >= 0n && whole < SEEDS) return whole;
  throw new BadOption(
    "seed",
    `${quoted(value)} is not a whole number from 0 to 2**64 - 1, as a safe number or a bigint`,
  );
}

/** Return a random seed, a safe number. */
export function randomSeed(): bigint {
  return BigInt.asUintN(53, crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n);
}
