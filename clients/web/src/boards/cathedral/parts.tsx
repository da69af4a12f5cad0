// Components shared by the parts of the board of The Pillars of the Earth.

import type { ComponentChildren } from "preact";
import type { CathedralPlayer, CathedralPosition } from "../../gen/clerestory/v1/cathedral_pb.ts";
import { say } from "../../language/texts.ts";
import { Builder } from "../art.tsx";
import { Spot, useBoard } from "../spots.tsx";
import type { SeatLook } from "../types.ts";
import { due } from "./places.ts";

/** The position drawn, and the one before. */
export function useGame(): { now: CathedralPosition; was: CathedralPosition | undefined } {
  const { position, previous } = useBoard();
  return {
    now: position.game.value as CathedralPosition,
    was: previous?.game.case === "cathedral" ? previous.game.value : undefined,
  };
}

/** The player whose board this is; undefined for an onlooker, and where cards are shown without a game. */
export function useOwn(): CathedralPlayer | undefined {
  const { position, viewer } = useBoard();
  const game = position?.game;
  return viewer !== undefined && game?.case === "cathedral" ? game.value.players[viewer] : undefined;
}

/** The seat of a colour. */
export const seatOf = (seats: readonly SeatLook[], colour: string): SeatLook | undefined =>
  seats.find((seat) => seat.colour === colour);

interface LocationProps {
  id: string;
  title: string;
  /** Its number in the order of the round. */
  number?: string;
  picture?: ComponentChildren;
  children?: ComponentChildren;
}

/** A location of the board, marked while it is its turn. */
export function Location({ id, title, number, picture, children }: LocationProps) {
  const { now } = useGame();
  const name = number ? `${number}. ${title}` : title;
  return (
    <div
      class={`location at-${id} ${due(now.step) === id ? "due" : ""}`}
      role="group"
      aria-label={name}
      data-about={id}
    >
      <p class="sign-post">
        {number && <span class="number">{number}</span>}
        <span>{title}</span>
        {picture}
      </p>
      {children}
    </div>
  );
}

interface SpaceProps {
  place: string;
  title: string;
  /** Colour of the builder there; empty if there is none. */
  holder: string;
  was: string | undefined;
  /** Content of an empty space. */
  children?: ComponentChildren;
}

/** A space for one builder. */
export function Space({ place, title, holder, was, children }: SpaceProps) {
  const { seats } = useBoard();
  const look = seatOf(seats, holder);
  return (
    <Spot place={place} class="space" title={title} news={was !== undefined && was !== holder}>
      {look ? (
        <Builder look={look} title={say("with", { name: title, what: look.name })} />
      ) : (
        <span class="empty">{children}</span>
      )}
    </Spot>
  );
}
