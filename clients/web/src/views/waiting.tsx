// A game that waits for people.

import { useSignal } from "@preact/signals";
import { look, looks } from "../boards/seats.ts";
import { address } from "../browser/route.ts";
import { browser } from "../browser/storage.ts";
import type { Kept } from "../game/kept.ts";
import { type Game, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { gameName } from "../language/text.ts";
import { say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { Copy, SeatName, Trouble } from "../parts/parts.tsx";
import { Bell } from "./bell.tsx";
import { EndIt } from "./people.tsx";

export function Waiting({ kept, game }: { kept: Kept; game: Game }) {
  const name = useSignal(browser.get("name") ?? "");
  const seats = looks(game.seats);
  const owner = kept.keys.value.owner !== undefined;
  const join = (seat: number) => {
    browser.set("name", name.value);
    void kept.join(seat, name.value);
  };
  return (
    <main class="page">
      <h1>{gameName(game.game)}</h1>
      <p>{say("waiting")}</p>
      <Trouble words={kept.broken.value} />
      <Trouble words={kept.refused.value} />
      <label>
        {say("name")}
        <input maxLength={40} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
      </label>
      <ul class="seats">
        {game.seats.map((seat) => (
          <li key={seat.seat}>
            <SeatName look={seats[seat.seat] ?? look(seat.seat)} mine={kept.mine.value.includes(seat.seat)} />
            {kept.away(seat) && <small>{say("away")}</small>}
            {seat.kind === SeatKind.OPEN && (
              <Button off={kept.busy.value} onPress={() => join(seat.seat)}>
                {say("waiting.sit")}
              </Button>
            )}
            {seat.kind === SeatKind.OPEN && owner && (
              <Button off={kept.busy.value} onPress={() => void kept.setSeat(seat.seat, SeatKind.BOT)}>
                {say("waiting.bot")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Copy label={say("waiting.link")} value={address("game", game.gameId)} />
      {kept.mine.value.length > 0 && <Bell kept={kept} />}
      {owner && <EndIt kept={kept} game={game} />}
      <a href="#/">{say("menu.lobby")}</a>
    </main>
  );
}
