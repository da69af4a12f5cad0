// A game against a bot, begun with one press.

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { games, requestName, wordsOf } from "../api.ts";
import { SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { LATER } from "../later.ts";
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
  const play = async () => {
    busy.value = true;
    void LATER.game(); // its screen is loaded while the game is made
    try {
      go(["game", await begin(game, bot)]);
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

/** Begin a game of two, and return its identifier. */
async function begin(game: string, opponent: Opponent): Promise<string> {
  const bot = { timeBudget: durationFromMs(THINKS), ...opponent };
  const me = { kind: SeatKind.PERSON, name: localStorage.getItem("name") ?? "" };
  const seats = [me, { kind: SeatKind.BOT, bot }];
  const options = { playForced: true };
  return keepKeys(await games.createGame({ game, seats, options, requestId: requestName() }));
}
