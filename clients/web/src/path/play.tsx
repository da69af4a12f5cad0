// A game against a bot, begun with one press.

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { ComponentChildren } from "preact";
import { browser } from "../browser/storage.ts";
import { useCreate } from "../game/creating.ts";
import { Onlookers, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { Button } from "../parts/button.tsx";
import { Trouble } from "../parts/parts.tsx";
import { requestName } from "../service/api.ts";

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
  const { busy, trouble, create } = useCreate();
  return (
    <>
      <Button class={shape} off={busy} onPress={() => void create(beginning(game, bot))}>
        {children}
      </Button>
      <Trouble words={trouble} />
    </>
  );
}

/** The request for a game of two. */
function beginning(game: string, opponent: Opponent) {
  const bot = { timeBudget: durationFromMs(THINKS), ...opponent };
  const me = { kind: SeatKind.PERSON, name: browser.get("name") ?? "" };
  const seats = [me, { kind: SeatKind.BOT, bot }];
  return { game, seats, options: { playForced: true, onlookers: Onlookers.LINK }, requestId: requestName() };
}
