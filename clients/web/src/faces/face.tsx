// The face of an opponent; the drawings are loaded when the first one is shown.

import { useLoaded } from "../service/loading.ts";

/** A face, decorative: the name is beside it. */
export const Face = ({ character }: { character: string | undefined }) =>
  character ? <Drawn character={character} /> : null;

function Drawn({ character }: { character: string }) {
  const { found } = useLoaded("faces", () => import("./faces.tsx"));
  return (
    <svg class="face" viewBox="0 0 64 64" aria-hidden="true">
      {found?.FACES[character]}
    </svg>
  );
}
