// The face of an opponent; the drawings are loaded when the first one is shown.

import { signal } from "@preact/signals";

const drawn = signal<typeof import("./faces/faces.tsx") | undefined>(undefined);
let asked = false;

/** A face, decorative: the name stands beside it. */
export function Face({ character }: { character: string | undefined }) {
  if (!character) return null;
  if (!asked) {
    asked = true;
    import("./faces/faces.tsx").then(
      (found) => {
        drawn.value = found;
      },
      () => undefined,
    );
  }
  return (
    <svg class="face" viewBox="0 0 64 64" aria-hidden="true">
      {drawn.value?.FACES[character]}
    </svg>
  );
}
