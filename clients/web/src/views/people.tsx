// The players: seats, bots in their place, links for others.

import { useSignal } from "@preact/signals";
import { EndReason, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import type { Kept } from "../kept.ts";
import { Copy, Dialog, SeatName, Trouble } from "../parts.tsx";
import { address } from "../route.ts";
import { colourName, look, looks } from "../seats.ts";
import { askable } from "../title.ts";

export function Share({ kept, onClose }: { kept: Kept; onClose(): void }) {
  const keys = kept.keys.value;
  return (
    <Dialog title="Share" onClose={onClose}>
      {keys.onlooker && <Copy label="For onlookers" value={address("game", kept.id, "watch", keys.onlooker)} />}
      <p>Whoever has the link of a seat can play it: send it to its player, or to another device of yours.</p>
      {Object.entries(keys.seats).map(([seat, token]) => (
        <Copy
          key={seat}
          label={`Seat of ${colourName(Number(seat))}`}
          value={address("game", kept.id, "seat", seat, token)}
        />
      ))}
      <Copy label="The game alone" value={address("game", kept.id)} />
    </Dialog>
  );
}

export function Seats({ kept, onClose }: { kept: Kept; onClose(): void }) {
  const game = kept.game.value;
  const owner = kept.keys.value.owner !== undefined;
  const sure = useSignal<EndReason | undefined>(undefined);
  if (!game) return null;
  const seats = looks(game.seats);
  return (
    <Dialog title="Players" onClose={onClose}>
      <Trouble words={kept.refused.value} />
      <ul class="seats">
        {game.seats.map((seat) => {
          const mine = kept.mine.value.includes(seat.seat);
          return (
            <li key={seat.seat}>
              <SeatName look={seats[seat.seat] ?? look(seat.seat)} mine={mine} />
              {kept.away(seat) && <small>away</small>}
              {seat.kind === SeatKind.PERSON && (mine || owner) && !game.end && (
                <button type="button" onClick={() => void kept.setSeat(seat.seat, SeatKind.BOT)}>
                  Let a bot take over
                </button>
              )}
              {seat.kind === SeatKind.BOT && mine && !game.end && (
                <button type="button" onClick={() => void kept.setSeat(seat.seat, SeatKind.PERSON)}>
                  Take my seat back
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {askable() && (
        <button type="button" onClick={() => void Notification.requestPermission()}>
          Tell me when it is my turn
        </button>
      )}
      {!game.end && (
        <div class="row">
          {kept.mine.value.length > 0 && (
            <button type="button" class="danger" onClick={() => (sure.value = EndReason.RESIGNED)}>
              Resign
            </button>
          )}
          {owner && (
            <button type="button" class="danger" onClick={() => (sure.value = EndReason.ABANDONED)}>
              End the game for all
            </button>
          )}
        </div>
      )}
      {sure.value !== undefined && (
        <p class="notice">
          Really?{" "}
          <button
            type="button"
            class="danger"
            onClick={() => {
              if (sure.value !== undefined) void kept.end(sure.value);
              onClose();
            }}
          >
            Yes, {sure.value === EndReason.RESIGNED ? "resign" : "end it"}
          </button>
        </p>
      )}
    </Dialog>
  );
}
