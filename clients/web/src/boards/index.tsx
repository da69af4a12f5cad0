// The board of a game: as a drawing, or in words if there is no drawing or words are preferred.

import type { FunctionComponent } from "preact";
import { once } from "../browser/once.ts";
import { say } from "../language/texts.ts";
import { memo } from "../parts/parts.tsx";
import TextBoard from "./text.tsx";
import type { BoardProps, ItemProps } from "./types.ts";

interface Drawn {
  default: FunctionComponent<BoardProps>;
  /** Draws what something does that can be planned. */
  Item?: FunctionComponent<ItemProps>;
}

/** The drawings by name of the game; each is loaded when its game is opened. */
const DRAWINGS: Partial<Record<string, () => Drawn | undefined>> = {
  cathedral: once(() => import("./cathedral/index.tsx")),
  duel: once(() => import("./duel/index.tsx")),
};

interface Props extends BoardProps {
  /** Words are preferred to the drawing. */
  words: boolean;
}

/** The drawing, once it and the cards are loaded; words until then, and where it is lost: a move may be waiting. */
export const Board = memo(({ words, ...props }: Props) => {
  const drawn = DRAWINGS[props.position.game.case ?? ""]?.();
  const Drawn = words || !props.catalogue.known ? undefined : drawn?.default;
  const awaited = !Drawn && !words && isDrawn(props.position.game.case ?? "");
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
  const Drawn = DRAWINGS[game]?.()?.Item;
  return Drawn ? <Drawn {...props} /> : null;
}
