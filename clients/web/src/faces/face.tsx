// The face of an opponent; the drawings are loaded when the first one is shown.

import { once } from "../browser/once.ts";
import type { Mood } from "./faces.tsx";

const faces = once(() => import("./faces.tsx"));

interface Props {
  character: string | undefined;
  mood?: Mood;
}

/** A face, decorative: the name is beside it. */
export const Face = ({ character, mood = "calm" }: Props) =>
  character ? (
    <svg class="face" viewBox="0 0 64 64" aria-hidden="true">
      {faces()?.FACES[character]?.(mood)}
    </svg>
  ) : null;
