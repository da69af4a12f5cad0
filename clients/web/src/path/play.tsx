// A game against a bot, begun with one press.

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { games, requestName, wordsOf } from "../api.ts";
import { SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { again, insist } from "../insist.ts";
import { prepare } from "../later.ts";
import { useHere } from "../loading.ts";
import { Trouble } from "../parts.tsx";
import { keepKeys } from "../rematch.ts";
import { go } from "../route.ts";

const THINKS = 1000; // milliseconds

/** A level, and perhaps the character that plays at it. */
type Opponent = { level: number; character?: string };

interface Props {
  game: string;
  bot: Opponent;
  shape?: "main" | "plain";
  children: ComponentChildren;
}

export function PlayButton({ game, bot, shape, children }: Props) {
  const busy = useSignal(false);
  const trouble = useSignal("");
  const here = useHere();
  const play = async () => {
    busy.value = true;
    prepare("game"); // its screen is loaded while the game is made
    try {
      const asked = beginning(game, bot);
      const id = keepKeys(await insist(() => games.createGame(asked), { wanted: here, told: again(trouble) }));
      if (here()) go(["game", id]);
    } catch (error) {
      trouble.value = wordsOf(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <>
      <button type="button" class={shape} disabled={busy.value} onClick={() => void play()}>
        {children}
      </button>
      <Trouble words={trouble.value} />
    </>
  );
}

/** The request for a game of two. */
function beginning(game: string, opponent: Opponent) {
  const bot = { timeBudget: durationFromMs(THINKS), ...opponent };
  const me = { kind: SeatKind.PERSON, name: localStorage.getItem("name") ?? "" };
  const seats = [me, { kind: SeatKind.BOT, bot }];
  return { game, seats, options: { playForced: true }, requestId: requestName() };
}
