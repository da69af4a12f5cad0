// The next step of the path, one press away from the end of a game, a lesson or a puzzle.

import { useLater } from "../service/loading.ts";
import type { StepProps } from "./step.tsx";

/** It is loaded when it is shown. */
export function NextStep(props: StepProps) {
  const View = useLater(() => import("./step.tsx"));
  return View ? <View {...props} /> : null;
}
