// The content of positions of either kind.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { AnyPosition } from "../gen/clerestory/v1/rules_pb.ts";

/** The content of a position of either kind. */
export function inside(position: AnyPosition): Position | undefined {
  return position.kind.case === "referee" ? position.kind.value.truth : position.kind.value;
}
