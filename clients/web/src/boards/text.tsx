// A position in words and tables, for screen readers, and where the board is not drawn.

import { say } from "../language/texts.ts";
import { Cathedral } from "./cathedral/text.tsx";
import { Duel } from "./duel/text.tsx";
import type { BoardProps } from "./types.ts";

export default function TextBoard(props: BoardProps) {
  const { game } = props.position;
  return (
    <div class="text-board">
      {game.case === "cathedral" && <Cathedral {...props} of={game.value} />}
      {game.case === "duel" && <Duel {...props} of={game.value} />}
      {game.case === "toy" && <p>{`${say("fact.round")} ${game.value.round}`}</p>}
    </div>
  );
}
