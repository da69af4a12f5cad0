// Boards of given positions for tests and pictures; not part of the shipped page (../gallery.mjs).

import "./styles/style.css";
import "./styles/pages.css";
import "./boards/boards.css";
import "./boards/places.css";
import "./boards/cards.css";
import "./boards/players.css";
import "./boards/cathedral/cathedral.css";
import "./boards/cathedral/town.css";
import "./boards/duel/duel.css";
import "./boards/duel/camps.css";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { signal } from "@preact/signals";
import { type FunctionComponent, render } from "preact";
import { catalogueOf } from "./boards/catalogue.ts";
import Cathedral from "./boards/cathedral/index.tsx";
import * as cathedral from "./boards/cathedral/places.ts";
import Duel from "./boards/duel/index.tsx";
import * as duel from "./boards/duel/places.ts";
import { look } from "./boards/seats.ts";
import TextBoard from "./boards/text.tsx";
import type { BoardProps, Mark } from "./boards/types.ts";
import { type Position, PositionSchema } from "./gen/clerestory/v1/position_pb.ts";
import { DescribeCatalogueResponseSchema, type LegalAction, LegalActionSchema } from "./gen/clerestory/v1/rules_pb.ts";
import { FILES } from "./gen/table.ts";
import { begin } from "./language/reader.ts";
import { text } from "./language/text.ts";
import { learn } from "./language/texts.ts";

/** A position, and what to show with it. */
interface Shown {
  position: JsonValue;
  previous?: JsonValue;
  catalogue: JsonValue;
  actions: JsonValue[];
  seats: number;
  viewer: number;
  marks: Mark[];
  ghost: boolean;
  /** In words. */
  words?: boolean;
}

const BOARDS: Record<string, FunctionComponent<BoardProps>> = { cathedral: Cathedral, duel: Duel };

/** The actions that were chosen and pointed at. */
const chosen: string[] = [];
const pointed = signal<string | undefined>(undefined);
const shown = signal<Shown | undefined>(undefined);

const positionOf = (json: JsonValue) => fromJson(PositionSchema, json);
const actionsOf = (json: readonly JsonValue[]) => json.map((action) => fromJson(LegalActionSchema, action));

function Gallery() {
  const exhibit = shown.value;
  if (!exhibit) return null;
  const position = positionOf(exhibit.position);
  const Drawn = exhibit.words ? TextBoard : (BOARDS[position.game.case ?? ""] as FunctionComponent<BoardProps>);
  return (
    <main class="table">
      <div class="middle">
        <section class={exhibit.ghost ? "board ghost" : "board"} aria-label="Board">
          <Drawn
            position={position}
            previous={exhibit.previous === undefined ? undefined : positionOf(exhibit.previous)}
            catalogue={catalogueOf(fromJson(DescribeCatalogueResponseSchema, exhibit.catalogue).entries)}
            seats={Array.from({ length: exhibit.seats }, (_, seat) => look(seat))}
            viewer={exhibit.viewer}
            actions={actionsOf(exhibit.actions)}
            marks={exhibit.marks}
            pointed={pointed.value}
            ghost={exhibit.ghost}
            onAction={(text) => chosen.push(text)}
            onPoint={(text) => {
              pointed.value = text;
            }}
          />
        </section>
      </div>
      <aside class="side" />
    </main>
  );
}

function show(exhibit: Shown): void {
  shown.value = exhibit;
  pointed.value = undefined;
  chosen.length = 0;
}

/** The place of each action of a position on the board; null if it has none. */
function placesOf({ position, actions }: Pick<Shown, "position" | "actions">): (string | null)[] {
  const { game } = positionOf(position);
  return actionsOf(actions).map((action) => placeOf(game, action) ?? null);
}

function placeOf(game: Position["game"], { kind, arguments: words }: LegalAction): string | undefined {
  if (game.case === "cathedral") return cathedral.placeOf(game.value, kind, words);
  return game.case === "duel" ? duel.placeOf(game.value, kind, words) : undefined;
}

const placeless = { cathedral: cathedral.PLACELESS, duel: duel.PLACELESS };
const ready = begin()
  .then(() => learn(FILES))
  .then(() => render(<Gallery />, document.body));
const pointAt = (text?: string) => {
  pointed.value = text;
};
Object.assign(window, { show, placesOf, placeless, chosen, pointAt, text, ready });
