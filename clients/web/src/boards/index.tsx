// The board of a game: as a drawing, or in words if there is no drawing or words are preferred.

import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { browser } from "../browser/storage.ts";
import { say } from "../language/texts.ts";
import { memo } from "../parts/parts.tsx";
import { useLoaded } from "../service/loading.ts";
import TextBoard from "./text.tsx";
import type { BoardProps, ItemProps } from "./types.ts";

interface Drawn {
  default: FunctionComponent<BoardProps>;
  /** Draws what something does that can be planned. */
  Item?: FunctionComponent<ItemProps>;
}

type Drawing = () => Promise<Drawn>;

/** The drawings by name of the game; each is loaded when its game is opened. */
const DRAWINGS: Partial<Record<string, Drawing>> = {
  cathedral: () => import("./cathedral/index.tsx"),
  duel: () => import("./duel/index.tsx"),
};

/** Whether words are preferred to drawings. */
export const inWords = signal(browser.get("board") === "words");

export function toggleWords(): void {
  inWords.value = !inWords.value;
  browser.set("board", inWords.value ? "words" : "drawing");
}

/** The drawing of a game, once it is loaded. */
const useDrawn = (game: string): Drawn | undefined => useLoaded(game, async () => DRAWINGS[game]?.()).found;

/** The drawing, once it and the cards are loaded; words until then, and where it is lost: a move may be waiting. */
export const Board = memo((props: BoardProps) => {
  const drawn = useDrawn(props.position.game.case ?? "");
  const Drawn = inWords.value || !props.catalogue.known ? undefined : drawn?.default;
  const awaited = !Drawn && !inWords.value && isDrawn(props.position.game.case ?? "");
  return (
    <section class={`board ${props.ghost ? "ghost" : ""} ${awaited ? "awaited" : ""}`} aria-label={say("board")}>
      {Drawn ? <Drawn {...props} /> : <TextBoard {...props} />}
    </section>
  );
});

/** Whether a game has a drawing. */
export function isDrawn(game: string): boolean {
  return game in DRAWINGS;
}

/** What something does that can be planned; nothing where the game has no drawing of it. */
export function Item({ game, ...props }: ItemProps & { game: string }) {
  const Drawn = useDrawn(game)?.Item;
  return Drawn ? <Drawn {...props} /> : null;
}
