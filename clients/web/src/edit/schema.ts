// The JSON Schema of positions that the server has, and values that follow it.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** What the server's schemas of positions use of JSON Schema. */
export interface Schema {
  type?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
}

/** The way to a field: names in objects, numbers in lists. */
export type Path = readonly (string | number)[];

/** A path as the server writes it: `players[0].gold`. */
export const written = (path: Path): string =>
  path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");

let asked: Promise<Schema> | undefined;

/** The schema of positions, requested once. */
export function positionSchema(): Promise<Schema> {
  asked ??= fetch(new URL("position.schema.json", document.baseURI)).then(async (answer) => {
    if (!answer.ok) throw new Error(answer.statusText);
    return (await answer.json()) as Schema;
  });
  asked.catch(() => {
    asked = undefined;
  });
  return asked;
}

/** Whether a list may have more or fewer entries. */
export const isOpen = ({ minItems, maxItems }: Schema): boolean => minItems === undefined || minItems !== maxItems;

/** Whether a field holds the name of a card. */
export const isCard = (schema: Schema): boolean => schema.type === "string" && !schema.enum;

/** The first value that a schema allows. */
export function first(schema: Schema): JsonValue {
  if (schema.enum) return schema.enum[0] ?? "";
  if (schema.type === "integer") return Math.max(schema.minimum ?? 0, 0);
  if (schema.type === "boolean") return false;
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 0 }, () => first(schema.items ?? {}));
  if (schema.type !== "object") return "";
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, first(one)]));
}

/** A value with another one in the place of a part. */
export function replaced(value: JsonValue, [part, ...rest]: Path, by: JsonValue): JsonValue {
  if (part === undefined) return by;
  if (Array.isArray(value)) return value.map((one, index) => (index === part ? replaced(one, rest, by) : one));
  const fields = value as JsonObject;
  return { ...fields, [part]: replaced(fields[part] ?? null, rest, by) };
}
