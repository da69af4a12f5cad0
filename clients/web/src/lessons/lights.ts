// The light on places of the board, by the names that its parts have in `data-about`.

import { useLayoutEffect } from "preact/hooks";

/** Light some places, also of a board that is still to be drawn, and none other. */
export function useLights(places: readonly string[]): void {
  useLayoutEffect(() => {
    const light = () => {
      for (const part of document.querySelectorAll<HTMLElement>("[data-about]"))
        part.toggleAttribute("data-lit", places.includes(part.dataset.about ?? ""));
    };
    light();
    for (const part of [...document.querySelectorAll(".board [data-lit]")].reverse())
      part.scrollIntoView({ block: "nearest", inline: "nearest" }); // the first of them last, so that it is in sight
    const drawn = new MutationObserver(light);
    drawn.observe(document.body, { childList: true, subtree: true });
    return () => drawn.disconnect();
  }, [places.join(" ")]);
}
