// A game that waits for people.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { colourName, look, looks } from "../boards/seats.ts";
import { address } from "../browser/route.ts";
import { browser } from "../browser/storage.ts";
import { BOTS, botName, botPlan, meet } from "../faces/characters.ts";
import type { Kept } from "../game/kept.ts";
import { type Game, type GameSeat, GameStatus, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { gameName } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { Copy, SeatName, Trouble } from "../parts/parts.tsx";
import { hear } from "../sounds/sounds.ts";
import { Bell } from "./bell.tsx";
import { EndIt, Reach, watchWords } from "./people.tsx";

interface Props {
  kept: Kept;
  game: Game;
}

export function Waiting({ kept, game }: Props) {
  const name = useSignal(browser.get("name") ?? "");
  const seats = looks(game.seats);
  const owner = kept.keys.value.owner !== undefined;
  const seated = kept.mine.value.length > 0;
  const watch = watchWords(kept, game);
  const join = (seat: number) => {
    browser.set("name", name.value);
    void kept.join(seat, name.value);
  };
  return (
    <main class="page">
      <h1>{gameName(game.game)}</h1>
      <p role="status">
        {say("waiting")} {say("waiting.open", { count: game.seats.filter(isOpen).length })}
      </p>
      <Trouble words={kept.broken.value} />
      <Trouble words={kept.refused.value} />
      {!seated && (
        <label>
          {say("name")}
          <input maxLength={40} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
      )}
      <ul class="seats">
        {game.seats.map((seat) => (
          <li key={seat.seat}>
            <SeatName look={seats[seat.seat] ?? look(seat.seat)} mine={kept.mine.value.includes(seat.seat)} />
            {kept.away(seat) && <small>{say("away")}</small>}
            {isOpen(seat) && !seated && (
              <Button class="main" off={kept.busy.value} onPress={() => join(seat.seat)}>
                {say("waiting.sit")}
              </Button>
            )}
            {isOpen(seat) && owner && <Substitute kept={kept} seat={seat.seat} />}
          </li>
        ))}
      </ul>
      <section>
        <Copy label={say("waiting.link")} value={address("game", game.gameId)} />
        <Reach />
        {game.options?.listed && <p class="muted">{say("waiting.listed")}</p>}
        {watch && <Copy label={say("share.watch")} value={address("game", game.gameId, ...watch)} />}
        {seated && <Bell kept={kept} />}
      </section>
      {owner && <EndIt kept={kept} game={game} />}
      <a href="#/">{say("menu.lobby")}</a>
    </main>
  );
}

const isOpen = ({ kind }: GameSeat): boolean => kind === SeatKind.OPEN;

/** A choice of bots for an open seat. */
function Substitute({ kept, seat }: { kept: Kept; seat: number }) {
  const chosen = useSignal("bot4");
  useEffect(meet, []);
  return (
    <>
      <select
        aria-label={say("new.opponents", { colour: colourName(seat) })}
        value={chosen.value}
        onChange={(event) => (chosen.value = event.currentTarget.value)}
      >
        {BOTS.map((one) => (
          <option key={one} value={one}>
            {botName(one)}
          </option>
        ))}
      </select>
      <Button off={kept.busy.value} onPress={() => void kept.setSeat(seat, SeatKind.BOT, botPlan(chosen.value))}>
        {say("waiting.bot")}
      </Button>
    </>
  );
}

/** Whether a game has begun in a hidden tab, until the tab is visible. A sound is played at once. */
export function useBegun(status: GameStatus | undefined): boolean {
  const before = useRef(status);
  const unseen = useSignal(false);
  useEffect(() => {
    const begins = before.current === GameStatus.OPEN && status === GameStatus.RUNNING;
    before.current = status;
    if (!begins) return;
    hear("turn");
    unseen.value = document.hidden;
  }, [status]);
  useEffect(() => {
    const seen = () => {
      unseen.value &&= document.hidden;
    };
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, []);
  return unseen.value;
}
