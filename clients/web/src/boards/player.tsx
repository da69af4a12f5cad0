// Parts of a player's display that all boards share: the name with a score, and flags.

import type { ComponentChildren, FunctionComponent } from "preact";
import { Face } from "../faces/face.tsx";
import type { Mood } from "../faces/faces.tsx";
import { say } from "../language/texts.ts";
import { Builder, Good } from "./art.tsx";
import { Count, Unseen, useBoard } from "./spots.tsx";
import type { SeatLook } from "./types.ts";

export interface PlayerProps<Player> {
  look: SeatLook;
  player: Player;
  was: Player | undefined;
}

interface PlayersProps<Player> {
  class: string;
  /** By seat. */
  now: readonly Player[];
  was: readonly Player[] | undefined;
  /** Draws one of them. */
  as: FunctionComponent<PlayerProps<Player>>;
}

/** All players, in the order of the seats. */
export function Players<Player>({ class: shape, now, was, as: One }: PlayersProps<Player>) {
  const { seats } = useBoard();
  return (
    <div class={shape}>
      {seats.map((look) => {
        const player = now[look.seat];
        return player && <One key={look.seat} look={look} player={player} was={was?.[look.seat]} />;
      })}
    </div>
  );
}

interface PanelProps {
  look: SeatLook;
  acts: boolean;
  /** The score: its value, its picture, its unit in words. */
  title: string;
  kind: string;
  unit: string;
  score: number;
  was: number | undefined;
  /** Only a short form of it fits a strip. */
  crowded?: boolean;
  children: ComponentChildren;
}

const AHEAD = 3; // points that change a mood

/** The mood of a player: whether all can see that it is well ahead, or well behind. */
function moodOf(points: readonly number[] = [], seat: number): Mood {
  const lead = (points[seat] ?? 0) - Math.max(...points.filter((_, other) => other !== seat));
  if (lead >= AHEAD) return "glad";
  return lead <= -AHEAD ? "glum" : "calm";
}

/** A player's possessions, under the name and the score. */
export function Panel({ look, acts, title, kind, unit, score, was, crowded, children }: PanelProps) {
  const { viewer, points } = useBoard();
  const shape = ["player", `of-${look.colour}`, acts && "acts", crowded && "crowded"].filter(Boolean).join(" ");
  return (
    <div class={shape} role="group" aria-label={look.name}>
      <p class="player-name" data-about={`${look.seat}.player`} title={look.name}>
        <Builder look={look} />
        <Face character={look.character} mood={moodOf(points, look.seat)} />
        <span class="who">
          <bdi>{look.name}</bdi>
          {viewer === look.seat && <small> ({say("you")})</small>}
        </span>
        <span class="score" title={title} data-about={`${look.seat}.${kind}`}>
          <Good kind={kind} />
          <Count of={score} was={was} />
          <Unseen> {unit}</Unseen>
        </span>
      </p>
      {children}
    </div>
  );
}

/** A possible flag: whether it is set, its name, and its words. */
export type PossibleFlag = [is: boolean, name: string, words: string];

interface FlagsProps {
  seat: number;
  of: readonly PossibleFlag[];
  children?: ComponentChildren;
}

/** Those of a player's possible flags that are set, in words. */
export function Flags({ seat, of, children }: FlagsProps) {
  return (
    <p class="flags">
      {of
        .filter(([is]) => is)
        .map(([, name, words]) => (
          <span key={name} class="flag" title={words} data-about={`${seat}.flag.${name}`}>
            {words}
          </span>
        ))}
      {children}
    </p>
  );
}
