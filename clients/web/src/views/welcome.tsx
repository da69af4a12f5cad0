// What this is, in a picture and five sentences, and the ways in: a game against an easy opponent, the lessons, and
// the opponents themselves.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { link } from "../browser/route.ts";
import { characters, meet } from "../faces/characters.ts";
import { Face } from "../faces/face.tsx";
import type { Character } from "../gen/clerestory/v1/rules_pb.ts";
import { gameName, levelName } from "../language/text.ts";
import { capital, say } from "../language/texts.ts";
import { offline } from "../offline/switch.ts";
import { PlayButton } from "../path/play.tsx";
import { useLater } from "../service/loading.ts";

const EASY = { level: 2, character: "mabel" }; // a newcomer's opponent

export function Welcome() {
  const Hero = useLater(() => import("../art/hero.tsx"));
  return (
    <section class="welcome">
      <div class="hero">{Hero && <Hero />}</div>
      <p>{say("lobby.what")}</p>
      {offline && <p class="muted">{say("offline.what")}</p>}
      <p class="row">
        <PlayButton game="cathedral" bot={EASY} shape="main">
          {say("lobby.play")}
        </PlayButton>
        {!offline && (
          <a class="button" href={link("path")}>
            {say("lobby.learn")}
          </a>
        )}
      </p>
      <p>
        <PlayButton game="duel" bot={EASY} shape="plain">
          {say("lobby.play_duel")}
        </PlayButton>
      </p>
    </section>
  );
}

const GAMES = ["cathedral", "duel"];
const LEVELS = 8;

/** The opponents, each a press away from a game. */
export function Opponents() {
  const game = useSignal(GAMES[0] as string);
  useEffect(meet, []);
  const known = characters.value;
  return (
    <section>
      <header class="row">
        <h2>{say("lobby.opponents")}</h2>
        <select
          aria-label={say("lobby.which")}
          value={game.value}
          onChange={(event) => (game.value = event.currentTarget.value)}
        >
          {GAMES.map((one) => (
            <option key={one} value={one}>
              {gameName(one)}
            </option>
          ))}
        </select>
      </header>
      <ul class="rivals">
        {known.map((one) => (
          <Rival key={one.character} game={game.value} character={one} />
        ))}
        {!known.length && Array.from({ length: LEVELS }, (_, index) => <li key={index} />)}
      </ul>
    </section>
  );
}

const Rival = ({ game, character: { character, level, name, about } }: { game: string; character: Character }) => (
  <li>
    <Face character={character} mood="glad" />
    <h3>{name}</h3>
    <p class="muted">{capital(levelName(level))}</p>
    <p>{about}</p>
    <PlayButton game={game} bot={{ level, character }}>
      {say("lobby.against", { name })}
    </PlayButton>
  </li>
);
