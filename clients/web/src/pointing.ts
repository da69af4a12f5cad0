// Where the pointer was moved to. When a page moves under a pointer at rest, browsers say that it has left what it was on,
// though nobody has moved it: what a pointer shows by being somewhere could end itself, by changing the page.

import { useEffect, useRef } from "preact/hooks";

/** Say onto which element of a selector the pointer was moved, or was pressed; undefined once it was moved off. */
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
    all.addEventListener("click", look); // a finger does not move
    all.addEventListener("pointerleave", leave);
    return () => {
      all.removeEventListener("pointermove", look);
      all.removeEventListener("click", look);
      all.removeEventListener("pointerleave", leave);
    };
  }, [selector]);
}
