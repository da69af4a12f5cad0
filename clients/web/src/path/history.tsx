// The games that were played here: how many were won, and one's own level over time.

import { gameName, levelName, text } from "../language/text.ts";
import { capital, isTurned, language, say } from "../language/texts.ts";
import { LEVELS, type PlayedGame, playedGames } from "./progress.ts";

const LATEST = 5; // reviewed games that the present level is taken from
const SHOWN = 40; // games in the drawing

// Pixels.
const WIDE = 600;
const STEP = 16; // between levels
const EDGE = 8;
const HIGH = STEP * (LEVELS.length - 1) + 2 * EDGE;

/** The history of a game; nothing before the first one is over. */
export function History({ game }: { game: string }) {
  const played = playedGames(game);
  if (!played.length) return null;
  const won = played.filter(({ share }) => share > 0.5).length;
  const levels = played.flatMap(({ level }) => level ?? []);
  const latest = levels.slice(-LATEST);
  return (
    <>
      <h3>{say("learn.history")}</h3>
      <p>
        {say("learn.won", { won, of: played.length })}{" "}
        {latest.length > 0 &&
          say("learn.level", { level: text.loss(latest.reduce((sum, one) => sum + one, 0) / latest.length) })}
      </p>
      {levels.length > 1 && <Levels game={game} played={played.filter(({ level }) => level).slice(-SHOWN)} />}
    </>
  );
}

/** The level of each reviewed game, in the order in which they were played. */
function Levels({ game, played }: { game: string; played: readonly PlayedGame[] }) {
  const day = new Intl.DateTimeFormat(language.value, { dateStyle: "medium" });
  const along = (index: number) => 3 * EDGE + ((WIDE - 4 * EDGE) * index) / Math.max(played.length - 1, 1);
  const x = (index: number) => (isTurned.value ? WIDE - along(index) : along(index));
  const y = (level: number) => HIGH - EDGE - STEP * (level - 1);
  const points = played.map(({ level = 1 }, index) => `${x(index)},${y(level)}`);
  return (
    <svg
      class="levels"
      viewBox={`0 0 ${WIDE} ${HIGH}`}
      role="img"
      aria-label={say("learn.over_time", { game: gameName(game) })}
    >
      {LEVELS.map((level) => (
        <g key={level}>
          <line x1="0" x2={WIDE} y1={y(level)} y2={y(level)} />
          <text
            x={isTurned.value ? WIDE - 2 : 2}
            y={y(level) + 4}
            direction="ltr"
            text-anchor={isTurned.value ? "end" : "start"}
          >
            {level}
          </text>
        </g>
      ))}
      <polyline points={points.join(" ")} />
      {played.map(({ id, level = 1, share, time }, index) => (
        <circle key={id} class={share > 0.5 ? "won" : ""} cx={x(index)} cy={y(level)} r="5">
          <title>{`${day.format(1000 * time)}: ${capital(levelName(level))}`}</title>
        </circle>
      ))}
    </svg>
  );
}
