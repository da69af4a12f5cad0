// The board of a game: as a drawing, or in words if there is no drawing or words are preferred.

import { signal, useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { memo } from "../parts.tsx";
import { say } from "../texts.ts";
import TextBoard from "./text.tsx";
import type { BoardProps } from "./types.ts";

type Drawing = () => Promise<{ default: FunctionComponent<BoardProps> }>;

/** The drawings by name of the game; each is loaded when its game is opened. */
const DRAWINGS: Partial<Record<string, Drawing>> = {
  cathedral: () => import("./cathedral/index.tsx"),
  duel: () => import("./duel/index.tsx"),
};

/** Whether words are preferred to drawings. */
export const inWords = signal(localStorage.getItem("board") === "words");

export function toggleWords(): void {
  inWords.value = !inWords.value;
  localStorage.setItem("board", inWords.value ? "words" : "drawing");
}

export const Board = memo((props: BoardProps) => {
  const game = props.position.game.case ?? "";
  const drawn = useSignal<FunctionComponent<BoardProps> | undefined>(undefined);
  useEffect(() => {
    void DRAWINGS[game]?.().then((module) => {
      drawn.value = module.default;
    });
  }, [game]);
  const Drawn = inWords.value ? undefined : drawn.value;
  return (
    <section class={props.ghost ? "board ghost" : "board"} aria-label={say("board")}>
      {Drawn ? <Drawn {...props} /> : <TextBoard {...props} />}
    </section>
  );
});

/** Whether a game has a drawing. */
export function isDrawn(game: string): boolean {
  return game in DRAWINGS;
}
