// The course of the game: phase and round, power, seals on the stack, the bank; and the conflict while there is one.

import { say } from "../../language/texts.ts";
import { Builder, Good } from "../art.tsx";
import { Count, Spot, Unseen, useBoard } from "../spots.tsx";
import { Seal } from "./chips.tsx";
import { useGame } from "./parts.tsx";
import { CONTEST, inBank } from "./sections.ts";

const PHASES = [1, 2, 3, 4];
const ROUNDS = [1, 2, 3];

export function Course() {
  const { seats } = useBoard();
  const { now, was } = useGame();
  const power = seats.find((seat) => seat.colour === now.power);
  return (
    <div class="course location" role="group" aria-label={say("course")}>
      <p
        class="phases"
        role="img"
        aria-label={say("course.phase", { phase: now.phase, round: now.round })}
        data-about="phases"
      >
        {PHASES.map((phase) => (
          <span key={phase} class={phase === now.phase ? "phase now" : "phase"}>
            <b>{"ABAB"[phase - 1]}</b>
            {ROUNDS.map((round) => (
              <i key={round} class={passed(phase, round, now) ? "done" : ""} />
            ))}
          </span>
        ))}
      </p>
      <p class="strip">
        <span
          class={was && was.power !== now.power ? "things fresh" : "things"}
          title={say("course.power")}
          data-about="power"
        >
          <span class="label">{say("course.power")}</span>{" "}
          <Builder look={power} title={say("with", { name: say("course.power"), what: power?.name ?? "" })} />
        </span>
        <span class="things" title={say("course.bank")} data-about="bank">
          <span class="label">{say("course.bank")}</span> <Good kind="gold" />
          <Count of={inBank(now)} was={was && inBank(was)} />
        </span>
      </p>
      <Stack />
      <Conflict />
    </div>
  );
}

const passed = (phase: number, round: number, now: { phase: number; round: number }) =>
  phase < now.phase || (phase === now.phase && round <= now.round);

/** The stack: first the seals in unknown order, then those put under it in sight of all. */
function Stack() {
  const { now } = useGame();
  const count = now.unseenSeals.length + now.stack.length;
  const unseen = now.unseenSeals.length ? say("course.unseen", { seals: now.unseenSeals.join(say("between")) }) : "";
  return (
    <Spot place="stack" class="stack" title={`${say("course.stack", { count })} ${unseen}`}>
      <span class="label">{say("course.seals")}</span>
      {now.unseenSeals.map((_, index) => (
        <Seal key={index} faces="?" />
      ))}
      {now.stack.map((faces, index) => (
        <Seal key={index} faces={faces} />
      ))}
      {count === 0 && <span class="muted">{say("course.none")}</span>}
    </Spot>
  );
}

/** The seals that each player has flipped, and their sum. */
function Conflict() {
  const { seats } = useBoard();
  const { now, was } = useGame();
  if (!CONTEST.includes(now.step)) return null;
  return (
    <div class="conflict" role="group" aria-label={say("course.conflict")}>
      {seats.map((seat) => {
        const player = now.players[seat.seat];
        if (!player) return null;
        return (
          <p
            key={seat.seat}
            class={now.toAct === seat.colour ? "strip acts" : "strip"}
            title={say("course.conflict")}
            data-about={`${seat.seat}.sum`}
          >
            <Builder look={seat} />
            <b class="sum">
              <Count of={player.sum} was={was?.players[seat.seat]?.sum} />
            </b>
            {player.flipped.map((faces, index) => {
              const first = player.flipped.indexOf(faces) === index;
              return (
                <Spot key={index} place={first ? `${seat.seat}.flipped.${faces}` : ""} title={say("course.flipped")}>
                  <Seal faces={faces} />
                </Spot>
              );
            })}
            {player.personalFlipped && <Seal faces="2/3" owner={seat} />}
          </p>
        );
      })}
      {now.flipping && (
        <Spot place="face" class="strip" title={say("course.flipping")}>
          <Seal faces={now.flipping === "personal" ? "2/3" : now.flipping} />
          <Unseen>{say("course.flipping")}</Unseen>
        </Spot>
      )}
    </div>
  );
}
