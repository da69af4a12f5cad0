// Position files: positions as JSON, in every form that the server takes too.

import { fromJsonString } from "@bufbuild/protobuf";
import { type Position, PositionSchema } from "./gen/clerestory/v1/position_pb.ts";

const OTHER_BASE = /^0[box]/i; // which `Number` reads, and JSON numbers are not

/** The position in the text of a position file. Throws an Error that names the field, for a text that is none. */
export function readPosition(text: string): Position {
  const written: unknown = JSON.parse(text);
  if (typeof written === "object" && written !== null)
    for (const [name, value] of Object.entries(written)) {
      if (Array.isArray(value)) throw new Error(`${name}: is a list; must be an object`);
      check(value, name);
    }
  const position = fromJsonString(PositionSchema, text);
  position.schema = undefined;
  return position;
}

/** Throws an Error for a value that the library would take, or blame without its path. */
function check(value: unknown, path: string): void {
  if (typeof value === "string" && OTHER_BASE.test(value)) throw new Error(`${path}: is "${value}"; must be decimal`);
  if (typeof value !== "object" || value === null) return;
  const list = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    const here = list ? `${path}[${name}]` : `${path}.${name}`;
    if (list && Array.isArray(inner)) throw new Error(`${here}: is a list; must be an object`);
    check(inner, here);
  }
}
