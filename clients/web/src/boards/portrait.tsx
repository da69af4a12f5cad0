// The picture of a card; the drawings are loaded when the first one is shown.

import { once } from "../browser/once.ts";

const pictures = once(() => import("../art/pictures.tsx"));

/** Decorative: the name of the card is beside it. A resource card shows the workers that it needs. */
export const Portrait = ({ id, workers }: { id: string; workers?: number | undefined }) => (
  <svg class="portrait" viewBox="0 0 60 40" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
    {pictures()?.pictureOf(id, workers)}
  </svg>
);
