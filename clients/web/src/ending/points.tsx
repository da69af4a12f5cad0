// The points of a finished game: a bar for each seat, stacked by source, and the same as a table.

import type { SeatLook } from "../boards/types.ts";
import type { Outcome, ScorePart, SeatScore } from "../gen/clerestory/v1/rules_pb.ts";
import { scoring, text } from "../language/text.ts";
import { capital, gameText, say } from "../language/texts.ts";
import { SeatName, SeatTable } from "../parts/parts.tsx";
import { useCatalogue } from "../service/catalogues.ts";

interface Props {
  game: string;
  outcome: Outcome;
  seats: readonly SeatLook[];
}

/** Whether a part of a score is a tie-break, which is shown as the things that it counts. */
const inHundredths = (game: string, { source }: ScorePart) => game === "duel" && source === "gold";

/** A score without such parts. */
export const wholePoints = (game: string, score: SeatScore | undefined) =>
  score?.parts.reduce((sum, part) => (inHundredths(game, part) ? sum - part.points : sum), score.score) ?? 0;

const sourceName = (game: string, source: string) => capital(gameText(game, `source.${source}`));

/** The points of a seat from each source, in the order of the sources. */
const bySource = (game: string, score: SeatScore | undefined, sources: readonly string[]) =>
  sources.map((source) =>
    (score?.parts ?? []).reduce(
      (sum, part) => (part.source === source && !inHundredths(game, part) ? sum + part.points : sum),
      0,
    ),
  );

/** A bar for each seat, as long as its points; lost points are written beside it. */
export function Bars({ game, outcome, seats }: Props) {
  const parts = outcome.scores.flatMap((score) => score.parts.filter((part) => !inHundredths(game, part)));
  const sources = [...new Set(parts.map(({ source }) => source))];
  const rows = seats.map((seat) => bySource(game, outcome.scores[seat.seat], sources));
  const most = Math.max(1, ...rows.map((row) => row.reduce((sum, one) => sum + Math.max(one, 0), 0)));
  if (!parts.length) return null;
  return (
    <div class="points">
      <ul>
        {seats.map((seat, index) => (
          <li key={seat.seat}>
            <SeatName look={{ ...seat, about: "" }} />
            <Bar points={rows[index] ?? []} most={most} names={sources.map((source) => sourceName(game, source))} />
            <strong>{text.score(wholePoints(game, outcome.scores[seat.seat]))}</strong>
          </li>
        ))}
      </ul>
      <p class="legend" aria-hidden="true">
        {sources.map((source, index) => (
          <span key={source}>
            <i class={`from-${index}`} /> {sourceName(game, source)}
          </span>
        ))}
      </p>
    </div>
  );
}

interface BarProps {
  /** By source. */
  points: readonly number[];
  /** The points of the longest bar. */
  most: number;
  names: readonly string[];
}

function Bar({ points, most, names }: BarProps) {
  const told = names.map((name, index) =>
    points[index] ? say("with", { name, what: text.score(points[index]) }) : "",
  );
  const lost = points.reduce((sum, one) => sum + Math.min(one, 0), 0);
  return (
    <span class="score-bar" role="img" aria-label={told.filter(Boolean).join("; ")}>
      {points.map((one, index) =>
        one > 0 ? (
          <span key={index} class={`from-${index}`} style={{ width: `${(100 * one) / most}%` }} title={told[index]}>
            {text.score(one)}
          </span>
        ) : null,
      )}
      {lost < 0 && <span class="lost">{text.score(lost)}</span>}
    </span>
  );
}

/** The scores, and the card or place that each part came from. */
export function Scores({ game, outcome, seats }: Props) {
  const catalogue = useCatalogue(game);
  const named = ({ source, item }: ScorePart) => {
    if (catalogue.card(item)) return catalogue.name(item);
    return item
      ? say("end.source", { source: gameText(game, `source.${source}`), item })
      : gameText(game, `source.${source}`);
  };
  const rows = new Map<string, number[]>();
  for (const score of outcome.scores)
    for (const part of score.parts) {
      const row = rows.get(named(part)) ?? seats.map(() => 0);
      row[score.seat] = (row[score.seat] ?? 0) + part.points * (inHundredths(game, part) ? 100 : 1);
      rows.set(named(part), row);
    }
  if (!outcome.scores.length) return null;
  const total = seats.map((seat) => text.score(wholePoints(game, outcome.scores[seat.seat])));
  const parts = [...rows].map(([name, points]) => [name, points.map((one) => (one ? text.score(one) : "–"))] as const);
  return (
    <div class="scroll">
      <SeatTable
        class="scores"
        heads={seats.map((seat) => <SeatName key={seat.seat} look={{ ...seat, about: "" }} />)}
        rows={[[say("end.points"), total], ...parts]}
      />
      <p class="muted">{scoring(game)}</p>
    </div>
  );
}
