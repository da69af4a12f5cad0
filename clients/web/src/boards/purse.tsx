// What a seat has, in one line beside its actions, and how the others stand.

import type { ComponentChildren } from "preact";
import type { CathedralPlayer } from "../gen/clerestory/v1/cathedral_pb.ts";
import type { DuelPlayer } from "../gen/clerestory/v1/duel_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { say } from "../language/texts.ts";
import { SeatSign } from "../parts/parts.tsx";
import { Good, Worker } from "./art.tsx";
import { Chip, KINDS, Seal } from "./duel/chips.tsx";
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

/** Gold, which decides between equal points, is in their hundredths, and shown beside them. */
const ofDuel = (player: DuelPlayer, points: number): Thing[] => [
  [say("thing.points"), "vp", <Good key="vp" kind="vp" />, Math.floor(points)],
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

/** A position, and the points of each seat in it. */
export interface Standing {
  position?: Position | undefined;
  points: readonly number[];
}

/** The things of a seat; none in a game without any. */
function thingsOf(standing: Standing | undefined, seat: number): Thing[] {
  const game = standing?.position?.game;
  if (game?.case === "cathedral") return game.value.players.slice(seat, seat + 1).flatMap(ofCathedral);
  if (game?.case !== "duel") return [];
  return game.value.players.slice(seat, seat + 1).flatMap((player) => ofDuel(player, standing?.points[seat] ?? 0));
}

interface Props {
  now: Standing;
  was: Standing | undefined;
  seats: readonly SeatLook[];
  /** The seat whose goods are shown; not set for an onlooker, who sees how all stand. */
  seat: number | undefined;
}

/** The goods of a seat, and the first thing of each other seat for comparison. */
export function Purse({ now, was, seats, seat }: Props) {
  const own = seats.find((look) => look.seat === seat);
  const others = seats.filter((look) => look !== own);
  return (
    <>
      {own && <Things look={own} now={thingsOf(now, own.seat)} was={thingsOf(was, own.seat)} />}
      {others.map((look) => (
        <Things
          key={look.seat}
          look={look}
          now={thingsOf(now, look.seat).slice(0, 1)}
          was={thingsOf(was, look.seat).slice(0, 1)}
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
