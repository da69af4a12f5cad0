// What this is, in one line, and the two ways in: a game against an easy opponent, and the lessons.

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import { games, requestName, wordsOf } from "../api.ts";
import { SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { LATER } from "../later.ts";
import { Trouble } from "../parts.tsx";
import { keepKeys } from "../rematch.ts";
import { go, link } from "../route.ts";
import { say } from "../texts.ts";

const EASY = 2; // the level of a newcomer's opponent
const THINKS = 1000; // milliseconds

export function Welcome() {
  const busy = useSignal(false);
  const trouble = useSignal("");
  const play = async () => {
    busy.value = true;
    void LATER.game(); // its screen is loaded while the game is made
    try {
      go(["game", await begin()]);
    } catch (error) {
      trouble.value = wordsOf(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <section class="welcome">
      <p>{say("lobby.what")}</p>
      <Trouble words={trouble.value} />
      <p class="row">
        <button type="button" class="main" disabled={busy.value} onClick={() => void play()}>
          {say("lobby.play")}
        </button>
        <a class="button" href={link("learn", "path")}>
          {say("lobby.learn")}
        </a>
      </p>
    </section>
  );
}

/** Begin a game for a newcomer, and return its identifier. */
async function begin(): Promise<string> {
  const bot = { timeBudget: durationFromMs(THINKS), level: EASY };
  const me = { kind: SeatKind.PERSON, name: localStorage.getItem("name") ?? "" };
  const seats = [me, { kind: SeatKind.BOT, bot }];
  const options = { playForced: true };
  return keepKeys(await games.createGame({ game: "cathedral", seats, options, requestId: requestName() }));
}
