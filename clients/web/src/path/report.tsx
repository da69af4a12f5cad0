// How one plays, from the reviews of one's games: habits, and what is lost by part of the game and kind of decision.

import type { DecisionSummary, Estimate } from "../gen/clerestory/v1/annotation_pb.ts";
import { text } from "../language/text.ts";
import { capital, language, say } from "../language/texts.ts";
import { Trouble } from "../parts/parts.tsx";
import { useLoaded } from "../service/loading.ts";
import { figuresOf, summary } from "./figures.ts";

/** The report of a game; nothing before the first review. */
export function Report({ game }: { game: string }) {
  const count = figuresOf(game).length;
  const { found, trouble } = useLoaded(`${game} ${count} ${language.value}`, () => summary(game));
  if (!count) return null;
  return (
    <>
      <h3>{say("report")}</h3>
      <p>{say("report.about", { count })}</p>
      <Trouble words={trouble} />
      {found && (
        <>
          {found.habits.length > 0 && (
            <>
              <h4>{say("report.habits")}</h4>
              <ul class="habits">
                {found.habits.map((habit) => (
                  <li key={habit.text}>{habit.text}</li>
                ))}
              </ul>
            </>
          )}
          <Table title={say("report.parts")} rows={[...(found.overall ? [found.overall] : []), ...found.parts]} />
          <Table title={say("report.kinds")} rows={found.kinds} />
          <p class="muted">{say("report.interval")}</p>
        </>
      )}
    </>
  );
}

/** The losses in some groups of decisions. */
const Table = ({ title, rows }: { title: string; rows: readonly DecisionSummary[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section class="scroll" aria-label={title} tabIndex={0}>
    <table class="figures">
      <caption>{title}</caption>
      <thead>
        <tr>
          <td />
          {["decisions", "loss", "accuracy", "points"].map((name) => (
            <th key={name} scope="col">
              {say(`report.${name}` as "report.loss")}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{capital(row.label)}</th>
            <td>{row.decisions}</td>
            <Cell value={row.meanLoss} scale={100} />
            <Cell value={row.accuracy} />
            <Cell value={row.points} />
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** A mean, with its interval if it has one. */
function Cell({ value, scale = 1 }: { value: Estimate | undefined; scale?: number }) {
  const { mean = 0, low, high } = value ?? {};
  return (
    <td>
      {text.loss(scale * mean)}
      {low !== undefined && high !== undefined && (
        <span class="muted">
          {" "}
          {say("found.interval", { low: text.loss(scale * low), high: text.loss(scale * high) })}
        </span>
      )}
    </td>
  );
}
