// The players: seats, bots in their place, links for others.

import { useSignal } from "@preact/signals";
import { look, looks } from "../boards/seats.ts";
import { address } from "../browser/route.ts";
import type { Kept } from "../game/kept.ts";
import { EndReason, type Game, type GameSeat, GameStatus, Onlookers, SeatKind } from "../gen/clerestory/v1/games_pb.ts";
import { type Key, say } from "../language/texts.ts";
import { Copy, Dialog, SeatName, Trouble } from "../parts/parts.tsx";
import { Bell } from "./bell.tsx";

const HERE = ["localhost", "127.0.0.1", "[::1]"];

/** A warning if the links of this page work on this machine only. */
export const Reach = () => (HERE.includes(location.hostname) ? <p class="muted">{say("share.here")}</p> : null);

/** Invitation links: to watch, or to play a seat. */
export function Share({ kept, game, onClose }: { kept: Kept; game: Game; onClose(): void }) {
  const keys = kept.keys.value;
  const seats = looks(game.seats);
  const held = Object.entries(keys.seats).map(([seat, token]) => ({ seat: Number(seat), token }));
  const watch = watchWords(kept, game);
  return (
    <Dialog title={say("menu.share")} onClose={onClose}>
      {watch && <Copy label={say("share.watch")} value={address("game", kept.id, ...watch)} />}
      {!watch && held.length > 0 && <p>{say("share.nothing")}</p>}
      {(watch || held.length > 0) && <Reach />}
      {held.length > 0 && (
        <details>
          <summary>{say("share.own")}</summary>
          <p>{say("share.seat_note")}</p>
          {held.map(({ seat, token }) => (
            <Copy
              key={seat}
              label={say("share.seat", { who: seats[seat]?.name ?? "" })}
              value={address("game", kept.id, "seat", seat, token)}
            />
          ))}
        </details>
      )}
      {!watch && !held.length && <p>{say("share.nothing")}</p>}
    </Dialog>
  );
}

/** The words of an address to watch a game; undefined where one may not. */
export function watchWords(kept: Kept, game: Game): string[] | undefined {
  const { onlooker } = kept.keys.value;
  if (onlooker) return ["watch", onlooker];
  return game.options?.onlookers === Onlookers.ALL ? [] : undefined; // all need no token
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
      {!game.end && <Bell kept={kept} />}
      {!game.end && <EndIt kept={kept} game={game} onClose={onClose} />}
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

/** The ways out of a game, each with its consequence; a game that waits for people can only be ended. */
export function EndIt({ kept, game, onClose }: { kept: Kept; game: Game; onClose?(): void }) {
  const sure = useSignal<EndReason | undefined>(undefined);
  const end = (reason: EndReason) => {
    void kept.end(reason);
    onClose?.();
  };
  return (
    <>
      <div class="row">
        {kept.mine.value.length > 0 && game.status !== GameStatus.OPEN && (
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
          {say("players.sure")} {say(follows(sure.value, game))}{" "}
          <button type="button" class="danger" onClick={() => sure.value !== undefined && end(sure.value)}>
            {say(sure.value === EndReason.RESIGNED ? "players.yes_resign" : "players.yes_end")}
          </button>
        </p>
      )}
    </>
  );
}

/** The consequence of ending a game, or of resigning. */
function follows(reason: EndReason, { seats }: Game): Key {
  if (reason !== EndReason.RESIGNED) return "players.ends";
  return seats.length > 2 ? "players.resigns_more" : "players.resigns_two";
}
