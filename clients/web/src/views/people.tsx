// The players: seats, bots in their place, links for others.

import { useSignal } from "@preact/signals";
import { EndReason, type Game, type GameSeat, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import type { Kept } from "../kept.ts";
import { Copy, Dialog, SeatName, Trouble } from "../parts.tsx";
import { address } from "../route.ts";
import { look, looks } from "../seats.ts";
import { say } from "../texts.ts";
import { askable } from "../title.ts";

/** Links that let somebody in: to watch, or to play a seat. */
export function Share({ kept, game, onClose }: { kept: Kept; game: Game; onClose(): void }) {
  const keys = kept.keys.value;
  const seats = looks(game.seats);
  const held = Object.entries(keys.seats).map(([seat, token]) => ({ seat: Number(seat), token }));
  return (
    <Dialog title={say("menu.share")} onClose={onClose}>
      {keys.onlooker && <Copy label={say("share.watch")} value={address("game", kept.id, "watch", keys.onlooker)} />}
      {held.length > 0 && <p>{say("share.seat_note")}</p>}
      {held.map(({ seat, token }) => (
        <Copy
          key={seat}
          label={say("share.seat", { who: seats[seat]?.name ?? "" })}
          value={address("game", kept.id, "seat", seat, token)}
        />
      ))}
      {!keys.onlooker && !held.length && <p>{say("share.nothing")}</p>}
    </Dialog>
  );
}

export function Seats({ kept, game, onClose }: { kept: Kept; game: Game; onClose(): void }) {
  const seats = looks(game.seats);
  return (
    <Dialog title={say("menu.players")} onClose={onClose}>
      <Trouble words={kept.refused.value} />
      <ul class="seats">
        {game.seats.map((seat) => (
          <li key={seat.seat}>
            <SeatName look={seats[seat.seat] ?? look(seat.seat)} mine={kept.mine.value.includes(seat.seat)} />
            {kept.away(seat) && <small>{say("away")}</small>}
            {!game.end && <TakeOver kept={kept} seat={seat} />}
          </li>
        ))}
      </ul>
      {askable() && (
        <button type="button" onClick={() => void Notification.requestPermission()}>
          {say("players.notify")}
        </button>
      )}
      {!game.end && <EndIt kept={kept} onClose={onClose} />}
    </Dialog>
  );
}

/** A bot in a person's place, and the person back. */
function TakeOver({ kept, seat: { seat, kind } }: { kept: Kept; seat: GameSeat }) {
  const mine = kept.mine.value.includes(seat);
  const owner = kept.keys.value.owner !== undefined;
  if (kind === SeatKind.PERSON && (mine || owner))
    return (
      <button type="button" onClick={() => void kept.setSeat(seat, SeatKind.BOT)}>
        {say("players.take_over")}
      </button>
    );
  if (kind !== SeatKind.BOT || !mine) return null;
  return (
    <button type="button" onClick={() => void kept.setSeat(seat, SeatKind.PERSON)}>
      {say("players.take_back")}
    </button>
  );
}

function EndIt({ kept, onClose }: { kept: Kept; onClose(): void }) {
  const sure = useSignal<EndReason | undefined>(undefined);
  const end = (reason: EndReason) => {
    void kept.end(reason);
    onClose();
  };
  return (
    <>
      <div class="row">
        {kept.mine.value.length > 0 && (
          <button type="button" class="danger" onClick={() => (sure.value = EndReason.RESIGNED)}>
            {say("players.resign")}
          </button>
        )}
        {kept.keys.value.owner !== undefined && (
          <button type="button" class="danger" onClick={() => (sure.value = EndReason.ABANDONED)}>
            {say("players.end")}
          </button>
        )}
      </div>
      {sure.value !== undefined && (
        <p class="notice" role="alert">
          {say("players.sure")}{" "}
          <button type="button" class="danger" onClick={() => sure.value !== undefined && end(sure.value)}>
            {say(sure.value === EndReason.RESIGNED ? "players.yes_resign" : "players.yes_end")}
          </button>
        </p>
      )}
    </>
  );
}
