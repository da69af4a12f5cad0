// The focus goes to what is left around it when what had it is gone, as after an answer that takes the place of its button.

import { useLayoutEffect } from "preact/hooks";

const PARTS = "section, form, aside, dialog, [role='group'], main";

/** Keep the focus on the page from now on. */
export function keepFocus(): void {
  let around: readonly Element[] = []; // the last element with the focus, and its ancestors
  addEventListener("focusin", ({ target }) => {
    around = chain(target as Element);
  });
  addEventListener("focusout", () => queueMicrotask(forget)); // if the user left it, not if it was removed
  const isLost = () => document.activeElement === document.body && around.length > 0;
  const forget = () => {
    if (isLost() && around[0]?.isConnected) around = [];
  };
  new MutationObserver(() => {
    if (!isLost() || around[0]?.isConnected) return;
    const left = around.find((one) => one.isConnected && one.matches(PARTS));
    give(left ?? document.querySelector("h1") ?? document.querySelector("main"));
  }).observe(document.body, { childList: true, subtree: true });
}

/** An element, and all that it is in. */
function chain(element: Element | null): Element[] {
  return element ? [element, ...chain(element.parentElement)] : [];
}

function give(part: Element | null): void {
  if (!(part instanceof HTMLElement)) return;
  if (!part.hasAttribute("tabindex")) part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

/** Give the focus to the actions of a document or of a shadow tree when what had it is gone, as after a move. */
export function useFocusKept(root: Document | ShadowRoot = document): void {
  const held = hasFocus(root);
  useLayoutEffect(() => {
    if (held && !hasFocus(root)) root.querySelector<HTMLElement>(".actions")?.focus({ preventScroll: true });
  });
}

const hasFocus = ({ activeElement }: DocumentOrShadowRoot) => activeElement !== null && activeElement !== document.body;
