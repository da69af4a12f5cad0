// The nine cards, the lines that can be claimed, and the markers.

import { Fragment } from "preact";
import { gameText, isTurned, say } from "../../language/texts.ts";
import { Arrow, Builder, Good, Picture } from "../art.tsx";
import { Spot, Unseen, useBoard } from "../spots.tsx";
import { divisible } from "../words.ts";
import { Chip, KINDS, Seal } from "./chips.tsx";
import { useGame } from "./parts.tsx";
import { gridPlace, LINES } from "./places.ts";
import { CONTEST, contestedPlace } from "./sections.ts";
import { isForeign } from "./warnings.ts";
import { type Effect, effectOf, told } from "./words.ts";

/** The lines, from the upper left corner to the lower left one, and the direction of the arrow of each. */
const ABOVE: [string, number][] = [
  ["diagonal down", 45],
  ["column 1", 90],
  ["column 2", 90],
  ["column 3", 90],
];
const ROWS = ["row 1", "row 2", "row 3"];

/** Handles and cards one after the other, in rows of four. */
export function Grid() {
  const { pointed } = useBoard();
  const line = pointed?.startsWith("claim ") ? LINES[pointed.slice("claim ".length)] : undefined;
  return (
    <div class="grid9" role="group" aria-label={say("grid")}>
      {ABOVE.map(([name, turn]) => (
        <Handle key={name} name={name} turn={turn} />
      ))}
      {ROWS.map((name, row) => (
        <Fragment key={name}>
          <Handle name={name} turn={0} />
          {[3 * row, 3 * row + 1, 3 * row + 2].map((index) => (
            <Place key={index} index={index} inLine={line?.includes(gridPlace(index)) ?? false} />
          ))}
        </Fragment>
      ))}
      <Handle name="diagonal up" turn={-45} />
    </div>
  );
}

function Handle({ name, turn }: { name: string; turn: number }) {
  return (
    <Spot
      place={`line.${name}`}
      class={`handle of-${name.split(" ")[0]}`}
      title={gameText("duel", `line.${name.replace(" ", ".")}`)}
    >
      <span style={{ rotate: `${isTurned.value ? -turn : turn}deg` }}>
        <Arrow />
      </span>
    </Spot>
  );
}

function Place({ index, inLine }: { index: number; inLine: boolean }) {
  const { seats, catalogue, viewer } = useBoard();
  const { now, was } = useGame();
  const place = gridPlace(index);
  const barred = isForeign(now.grid[index] ?? "", seats.find(({ seat }) => seat === viewer)?.colour, catalogue);
  const id = now.grid[index] ?? "";
  const marked = seats.filter((seat) => now.players[seat.seat]?.markers.includes(place));
  const before = seats.filter((seat) => was?.players[seat.seat]?.markers.includes(place));
  const using = CONTEST.includes(now.step) ? contestedPlace(now) === place : id && now.card === id;
  const state = `${barred ? "barred" : ""} ${now.used.includes(place) ? "used" : ""} ${using ? "using" : ""} ${inLine ? "in-line" : ""}`;
  const news = was && now.step !== "over" && (was.grid[index] !== id || before.length !== marked.length);
  return (
    <Spot place={`grid.${place}`} class={`cell ${state}`} title={id ? catalogue.name(id) : place} news={news}>
      {id ? <DuelCard id={id} /> : <span class="card blank" />}
      <span class="markers">
        {marked.map((seat) => (
          <Builder key={seat.seat} look={seat} title={say("grid.marker", { who: seat.name })} />
        ))}
        {now.used.includes(place) && <span class="flag">{say("flag.used")}</span>}
      </span>
    </Spot>
  );
}

/** A card of the grid, or one kept in front of a player. */
export function DuelCard({ id }: { id: string }) {
  const { catalogue, seats, viewer } = useBoard();
  const card = catalogue.of("cards", id);
  const frame = String(card?.values.frame ?? "");
  const effect = effectOf(card);
  const drawing = drawn(effect);
  const holder = seats.find((seat) => seat.colour === frame);
  const barred = holder && viewer !== undefined && holder.seat !== viewer;
  return (
    <span class={`card frame-${frame}`}>
      <span class="name">
        {divisible(catalogue.name(id))}
        {frame === "once" && <span class="flag">1×</span>}
        {holder && <Builder look={holder} title={say("grid.only", { who: holder.name })} />}
      </span>
      {barred && <span class="lack">{say("grid.only", { who: holder.name })}</span>}
      {drawing ? (
        <>
          <Unseen>{told(effect)}</Unseen>
          <span class="drawing" aria-hidden="true">
            {drawing}
          </span>
        </>
      ) : (
        <span class="effect">{told(effect)}</span>
      )}
    </span>
  );
}

const Crown = () => (
  <Picture class="good gold">
    <path class="body" d="M2.5 13 1 4.5l4 3 3-5.5 3 5.5 4-3L13.5 13z" />
  </Picture>
);

const Price = ({ of }: { of: unknown }) => (
  <span class="price">
    {String(of)}
    <Good kind="gold" />
  </span>
);

const MOST = 11; // chips drawn for a typed number, at most

/** The effect of a card as a drawing; nothing if words are clearer. */
function drawn(effect: Effect) {
  const { kind, gold, price, chip, count } = effect;
  if (kind === "power") return <Crown />;
  if (kind === "income") return <Price of={gold} />;
  if (kind === "raw")
    return Array.from({ length: Math.min(Number(count), MOST) }, (_, index) => (
      <Chip key={index} kind={String(chip)} />
    ));
  if (kind === "market") return <Market effect={effect} />;
  if (kind === "influence")
    return (
      <>
        <Price of={price} />
        <Arrow />
        <Seal faces="?" />
      </>
    );
  if (kind !== "craftsman") return undefined;
  return (
    <>
      <Chip kind={String(chip)} />
      <Price of={price} />
      <Arrow />
      <Chip kind={KINDS.find(([raw]) => raw === chip)?.[1] ?? ""} />
    </>
  );
}

/** The goods that can be bought, and the sale of wool. */
function Market({ effect: { limit, price, kinds, wool } }: { effect: Effect }) {
  return (
    <>
      <span class="things">
        {(Array.isArray(kinds) ? kinds : []).map((kind) => (
          <Chip key={kind} kind={kind} />
        ))}
      </span>
      <span class="times">×{String(limit)}</span>
      <Price of={price} />
      <span class="things">
        <Chip kind="wool" />
        <Arrow />
        <Price of={wool} />
      </span>
    </>
  );
}
