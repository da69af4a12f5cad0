// Translators of browsers replace texts by their elements. A part gets its texts back before it is redrawn, because
// Preact would change the hidden ones. Then the translator has its turn again.

import { options } from "preact";

/** The place of a part that Preact draws. These internal names are the same in all of its builds. */
interface Drawn {
  __c?: { __P?: Node };
}

const stands = new Map<Node, ChildNode>(); // a text of the page -> its replacement
const texts = new WeakMap<Node, Node>(); // the other way round

/** Withstand translators from now on. */
export function withstandTranslators(page: HTMLElement): void {
  const observer = new MutationObserver((records) => records.forEach(note));
  observer.observe(page, { childList: true, subtree: true });
  const hooks = options as { __r?: (part: Drawn) => void };
  const before = hooks.__r;
  hooks.__r = (part) => {
    observer.takeRecords().forEach(note);
    const around = part.__c?.__P;
    if (around) giveBack(around);
    before?.(part);
  };
}

/** Note what has replaced a text, or what stood for it: Preact itself never replaces, it adds and it removes. */
function note({ removedNodes, addedNodes, previousSibling, nextSibling }: MutationRecord): void {
  const [removed] = removedNodes;
  const stand = addedNodes[0] ?? [previousSibling, nextSibling].find((one) => one?.nodeName === "FONT");
  const text = removed && (texts.get(removed) ?? (removed.nodeType === Node.TEXT_NODE ? removed : undefined));
  if (!text || !stand || stand === text) return;
  stands.set(text, stand as ChildNode);
  texts.set(stand, text);
}

/** Put back texts that were replaced. */
function giveBack(around: Node): void {
  for (const [text, stand] of stands) {
    if (!around.contains(stand)) continue;
    stands.delete(text);
    stand.replaceWith(text);
  }
}
