// What a seat has, in one line beside its actions, and how the others stand.

import type { ComponentChildren } from "preact";
import type { CathedralPlayer } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { DuelPlayer } from "../gen/clerestory/v1/duel_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { SeatSign } from "../parts.tsx";
import { say } from "../texts.ts";
import { Good, Worker } from "./art.tsx";
import { Chip, KINDS, Seal } from "./duel/chips.tsx";
import { isComplete } from "./duel/sections.ts";
import { Change, Unseen } from "./spots.tsx";
import type { SeatLook } from "./types.ts";

/** A kind of thing, what the board calls it after the seat, its picture, how many there are. */
type Thing = [name: string, about: string, picture: ComponentChildren, count: number];

const GOODS = ["sand", "wood", "stone", "metal"] as const;

const ofCathedral = (player: CathedralPlayer): Thing[] => [
  [say("thing.vp"), "vp", <Good key="vp" kind="vp" />, player.vp],
  [say("thing.gold"), "goods.gold", <Good key="gold" kind="gold" />, player.gold],
  ...GOODS.map((kind): Thing => [say(`thing.${kind}`), `goods.${kind}`, <Good key={kind} kind={kind} />, player[kind]]),
  [say("thing.workers"), "workers", <Worker key="workers" />, player.workers],
];

const SECTION = 10; // points of a complete one

/** The points of what is built: gold decides between equal ones. */
function built({ section1, section2, section3 }: DuelPlayer): number {
  const sections = [section1, section2, section3];
  return sections.reduce((points, one) => points + one.length + (isComplete(one) ? SECTION : 0), 0);
}

const ofDuel = (player: DuelPlayer): Thing[] => [
  [say("thing.vp"), "vp", <Good key="vp" kind="vp" />, built(player)],
  [say("thing.gold"), "gold", <Good key="gold" kind="gold" />, player.gold],
  ...KINDS.map(
    ([raw]): Thing => [say(`thing.${raw}`), `camp.${raw}`, <Chip key={raw} kind={raw} />, player.camp?.[raw] ?? 0],
  ),
  ...KINDS.map(
    ([, turned]): Thing => [
      say(`thing.${turned}`),
      `materials.${turned}`,
      <Chip key={turned} kind={turned} />,
      player.materials?.[turned] ?? 0,
    ],
  ),
  [say("thing.seals"), "seals", <Seal key="seal" faces="?" />, player.seals.length + (player.personalFlipped ? 0 : 1)],
];

/** The things of a seat; none in a game without any. */
function thingsOf(position: Position | undefined, seat: number): Thing[] {
  const game = position?.game;
  if (game?.case === "cathedral") return game.value.players.slice(seat, seat + 1).flatMap(ofCathedral);
  return game?.case === "duel" ? game.value.players.slice(seat, seat + 1).flatMap(ofDuel) : [];
}

interface Props {
  position: Position;
  previous: Position | undefined;
  seats: readonly SeatLook[];
  /** The seat whose goods are shown; not set for an onlooker, who sees how all stand. */
  seat: number | undefined;
}

/** The goods of a seat, and the first thing of each other one, by which they are compared. */
export function Purse({ position, previous, seats, seat }: Props) {
  const own = seats.find((look) => look.seat === seat);
  const others = seats.filter((look) => look !== own);
  return (
    <>
      {own && <Things look={own} now={thingsOf(position, own.seat)} was={thingsOf(previous, own.seat)} />}
      {others.map((look) => (
        <Things
          key={look.seat}
          look={look}
          now={thingsOf(position, look.seat).slice(0, 1)}
          was={thingsOf(previous, look.seat).slice(0, 1)}
        />
      ))}
    </>
  );
}

function Things({ look, now, was }: { look: SeatLook; now: readonly Thing[]; was: readonly Thing[] }) {
  if (!now.length) return null;
  return (
    <ul class={now.length > 1 ? "purse-line own" : "purse-line"} aria-label={say("purse", { who: look.name })}>
      <li title={look.name} data-about={`${look.seat}.player`}>
        <SeatSign look={look} />
      </li>
      {now.map(([name, about, picture, count], index) => (
        <li key={name} class={count ? "thing" : "thing none"} title={name} data-about={`${look.seat}.${about}`}>
          {picture}
          {count}
          <Change of={count} was={was[index]?.[3]} />
          <Unseen> {name}</Unseen>
        </li>
      ))}
    </ul>
  );
}
