// What this is, in one line, and the two ways in: a game against an easy opponent, and the lessons.

import { link } from "../browser/route.ts";
import { say } from "../language/texts.ts";
import { PlayButton } from "../path/play.tsx";

const EASY = { level: 2, character: "mabel" }; // a newcomer's opponent

export const Welcome = () => (
  <section class="welcome">
    <p>{say("lobby.what")}</p>
    <p class="row">
      <PlayButton game="cathedral" bot={EASY} shape="main">
        {say("lobby.play")}
      </PlayButton>
      <a class="button" href={link("path")}>
        {say("lobby.learn")}
      </a>
    </p>
    <p>
      <PlayButton game="duel" bot={EASY} shape="plain">
        {say("lobby.play_duel")}
      </PlayButton>
    </p>
  </section>
);
