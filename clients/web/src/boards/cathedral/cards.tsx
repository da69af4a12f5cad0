// The cards of The Pillars of the Earth: craftsmen, resource cards, cards of text.

import type { ComponentChildren } from "preact";
import { say } from "../../language/texts.ts";
import { Arrow, Coin, Good, Picture, Worker } from "../art.tsx";
import { Portrait } from "../portrait.tsx";
import { Unseen, useBoard } from "../spots.tsx";
import type { Catalogue } from "../types.ts";
import { divisible } from "../words.ts";
import { useOwn } from "./parts.tsx";
import { type Amounts, amounts, effectOf, lackOf, numberOf, type Trade, tradeOf, tradeTold } from "./words.ts";

/** Amounts as pictures: one picture each for small numbers, else a number and one picture. */
function Things({ of, few = 0 }: { of: Amounts; few?: number }) {
  return (
    <>
      {Object.entries(of).map(([kind, count]) => (
        <span key={kind} class="things">
          {count > few && count !== 1 && count}
          {Array.from({ length: count > few ? 1 : count }, (_, index) => (
            <Good key={index} kind={kind} />
          ))}
        </span>
      ))}
    </>
  );
}

interface ConversionProps {
  trade: Trade;
  catalogue: Catalogue;
  used?: number | undefined;
}

/** The conversion of a craftsman as a drawing, with his helper, and his number of uses where that matters. */
export function Conversion({ trade, catalogue, used }: ConversionProps) {
  const { takes, needs, gives, capacity, requires } = trade;
  const must = amounts(needs);
  const [helper] = requires;
  return (
    <span class="conversion" title={tradeTold(trade, catalogue)}>
      <Unseen>{tradeTold(trade, catalogue)}</Unseen>
      <span class="drawing" aria-hidden="true">
        {helper && (
          <span class="held">
            <Portrait id={helper} />
          </span>
        )}
        {must && (
          <span class="held">
            <Things of={needs} />
          </span>
        )}
        <Things of={takes} />
        <Arrow />
        <Things of={gives} />
        <span class="times">×{used ? `${Math.max(capacity - used, 0)}/${capacity}` : capacity}</span>
      </span>
    </span>
  );
}

interface CostProps {
  /** The text for it. */
  words: "card.costs" | "card.workers";
  of: number | undefined;
  picture: ComponentChildren;
}

/** The cost of a card, in its corner; nothing if the catalogue has none. */
function Cost({ words, of, picture }: CostProps) {
  if (of === undefined) return null;
  return (
    <span class="cost">
      <Unseen>{say(words, { number: of })}</Unseen>
      <span aria-hidden="true">
        {of}
        {picture}
      </span>
    </span>
  );
}

/** A craftsman for hire: cost, picture, conversion. */
export function CraftsmanCard({ id, price = true }: { id: string; price?: boolean }) {
  const { catalogue } = useBoard();
  const own = useOwn();
  const trade = tradeOf(catalogue, id);
  const cost = numberOf(catalogue.of("craftsmen", id), "cost");
  const lack = trade && own ? lackOf(trade, own.craftsmen, catalogue) : "";
  return (
    <span class={lack ? "card craftsman barred" : "card craftsman"}>
      <span class="top">
        <Portrait id={id} />
        {price && <Cost words="card.costs" of={cost} picture={<Coin />} />}
      </span>
      <span class="name">{divisible(catalogue.name(id))}</span>
      {trade && <Conversion trade={trade} catalogue={catalogue} />}
      {lack && <span class="lack">{lack}</span>}
    </span>
  );
}

const SITES: Record<string, string> = {
  wood: "M10 34 18 12l8 22zM24 34 34 6l10 28zM42 34l7-18 8 18z",
  stone: "M4 34V24h9v-8h10V8h14v8h9v8h12v10z",
  sand: "M4 34c6-10 11-17 17-17 7 0 8 7 12 7 3 0 5-4 9-4 6 0 10 7 14 14z",
};

/** Forest, quarry or gravel pit. */
export const Site = ({ type }: { type: string }) => (
  <Picture class={`site ${type}`} box="0 0 60 40">
    <path class="hill" d="M0 34c14-6 40-6 60 0v6H0z" />
    <path class="form" d={SITES[type] ?? "M10 34h40v-12H10z"} />
  </Picture>
);

/** A resource card: the workers it needs, the cubes they bring. */
export function ResourceCard({ id }: { id: string }) {
  const { catalogue } = useBoard();
  const card = catalogue.of("resource_cards", id);
  const type = String(card?.values.type ?? "");
  const brings = numberOf(card, "yields") ?? 0;
  const workers = numberOf(card, "workers");
  return (
    <span class="card resource">
      <span class="top">
        <Portrait id={id} workers={workers} />
        <Cost words="card.workers" of={workers} picture={<Worker />} />
      </span>
      {card ? <Unseen>{catalogue.name(id)}</Unseen> : <span class="name">{catalogue.name(id)}</span>}
      <span class="brings" aria-hidden="true">
        <Things of={{ [type]: brings }} few={5} />
      </span>
    </span>
  );
}

/** A card whose effect is described in words. */
export function TextCard({ id, section }: { id: string; section: "advantage_cards" | "event_cards" }) {
  const { catalogue } = useBoard();
  const card = catalogue.of(section, id);
  const sign = card?.values.sign === "negative" ? "negative" : "";
  return (
    <span class={`card words ${sign}`} title={effectOf(card)}>
      <Portrait id={id} />
      <span class="text">
        <span class="name">{catalogue.name(id)}</span>
        <span class="effect">{effectOf(card)}</span>
      </span>
    </span>
  );
}
