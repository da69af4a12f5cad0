// The element under the moved pointer. If a page moves under a resting pointer, browsers report that the pointer has left
// its element, so a display that is shown on hovering could end itself by changing the page.

import { useEffect, useRef } from "preact/hooks";

/** Report the element of a selector that the pointer was moved onto or clicked; undefined once it was moved off. */
export function usePointer(selector: string, onPoint: (found: HTMLElement | undefined) => void): void {
  const told = useRef(onPoint);
  told.current = onPoint;
  useEffect(() => {
    let last: HTMLElement | undefined;
    const tell = (found: HTMLElement | undefined) => {
      if (found !== last) told.current(found);
      last = found;
    };
    const look = ({ target }: Event) =>
      tell((target instanceof Element && target.closest<HTMLElement>(selector)) || undefined);
    const leave = () => tell(undefined);
    const all = document.documentElement;
    all.addEventListener("pointermove", look);
    all.addEventListener("click", look); // touch screens have no hovering
    all.addEventListener("pointerleave", leave);
    return () => {
      all.removeEventListener("pointermove", look);
      all.removeEventListener("click", look);
      all.removeEventListener("pointerleave", leave);
    };
  }, [selector]);
}
