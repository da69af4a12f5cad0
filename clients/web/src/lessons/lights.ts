// The light on places of the board, by the names that its parts have in `data-about`.

import { useLayoutEffect, useRef } from "preact/hooks";

const SHEET = "--sheet"; // the height of what covers the board's foot in a narrow window

/**
 * Light only the given places, also of a board that is not drawn yet. A newly lit place scrolls into view; at a
 * later moment, and when the page grows, it does if all of it has gone out of sight.
 */
export function useLights(places: readonly string[], moment: number): void {
  const lit = useRef<ReadonlySet<HTMLElement>>(new Set());
  useLayoutEffect(() => {
    const light = () => {
      const parts = [...document.querySelectorAll<HTMLElement>("[data-about]")];
      const meant = new Set(parts.filter((part) => places.includes(part.dataset.about ?? "")));
      for (const part of parts) part.toggleAttribute("data-lit", meant.has(part));
      if ([...meant].some((part) => !lit.current.has(part))) bringIntoSight(meant);
      lit.current = meant;
    };
    light();
    const grown = new ResizeObserver(() => {
      if (![...lit.current].some(isInSight)) bringIntoSight(lit.current);
    });
    grown.observe(document.body); // which also reports the size at once
    const drawn = new MutationObserver(light);
    drawn.observe(document.body, { childList: true, subtree: true });
    return () => {
      drawn.disconnect();
      grown.disconnect();
      document.documentElement.style.removeProperty(SHEET);
    };
  }, [places.join(" "), moment]);
}

function isInSight(part: HTMLElement): boolean {
  const { left, right, top, bottom } = part.getBoundingClientRect();
  const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return found !== null && (part.contains(found) || found.contains(part));
}

/** Scroll to what lies on the board: the first part last, so that it is in sight if not all can be. */
function bringIntoSight(parts: Iterable<HTMLElement>): void {
  const seat = document.querySelector<HTMLElement>(".seat");
  const over = seat && getComputedStyle(seat).position === "sticky" ? seat.offsetHeight : 0; // it covers the board's foot
  if (over) document.documentElement.style.setProperty(SHEET, `${over + 8}px`);
  for (const part of [...parts].reverse())
    if (part.closest(".board")) part.scrollIntoView({ block: "nearest", inline: "nearest" });
}
