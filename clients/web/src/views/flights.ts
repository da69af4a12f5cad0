// Goods that move over the board: from a place to their new owner, and back when they are paid.

import { useEffect, useRef } from "preact/hooks";
import { pace } from "../game/pace.ts";
import type { AppliedAction, Change } from "../gen/clerestory/v1/rules_pb.ts";

const LASTS = 700; // milliseconds
const APART = 90; // milliseconds between two of one kind
const MOST = 4; // of one kind

const PLACES: Readonly<Record<string, string>> = { production: "sites", tax: "court" };

/** Let the goods of the newest action move, unless nothing is to move. */
export function useFlights(applied: readonly (AppliedAction | undefined)[]): void {
  const before = useRef(applied.length);
  useEffect(() => {
    const fresh = applied.length === before.current + 1 ? applied.at(-1) : undefined;
    before.current = applied.length;
    if (pace.value && !matchMedia("(prefers-reduced-motion: reduce)").matches) fresh?.changes.forEach(fly);
  }, [applied.length]);
}

/** The part of the board that is about something, if it is drawn. */
const partOf = (about: string) => document.querySelector(`.drawn [data-about="${about}"]`);

function fly({ seat, thing, cause, amount }: Change): void {
  const own = partOf(`${seat}.goods.${thing}`) ?? partOf(`${seat}.${thing}`);
  const place = cause === "craftsman" ? partOf(`${seat}.crew`) : partOf(PLACES[cause] ?? cause);
  const picture = own?.querySelector(".good");
  if (seat === undefined || !own || !place || !picture) return;
  const [from, to] = amount > 0 ? [place, picture] : [picture, place];
  for (let index = 0; index < Math.min(Math.abs(amount), MOST); index++)
    move(picture, from.getBoundingClientRect(), to.getBoundingClientRect(), APART * index);
}

const middle = ({ left, top, width, height }: DOMRect, size: DOMRect) =>
  `translate(${left + (width - size.width) / 2}px, ${top + (height - size.height) / 2}px)`;

/** Move a copy of a picture over the page. */
function move(picture: Element, from: DOMRect, to: DOMRect, delay: number): void {
  const size = picture.getBoundingClientRect();
  const copy = picture.cloneNode(true) as SVGElement;
  const box = document.createElement("div");
  box.className = "flying pictured";
  Object.assign(copy.style, { width: `${size.width}px`, height: `${size.height}px` });
  box.append(copy);
  document.body.append(box);
  const steps = [
    { transform: middle(from, size), opacity: 0 },
    { opacity: 1, offset: 0.15 },
    { opacity: 1, offset: 0.85 },
    { transform: middle(to, size), opacity: 0 },
  ];
  const flight = box.animate(steps, { duration: LASTS, delay, easing: "ease-in-out", fill: "backwards" });
  flight.onfinish = () => box.remove();
  flight.oncancel = flight.onfinish;
}
