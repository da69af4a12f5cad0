// What the engine found about the board game: questions to guess at, with answers that open.

import { text } from "../language/text.ts";
import { type Key, say } from "../language/texts.ts";
import { FOUND } from "./found.ts";

type Figures = readonly (readonly number[])[]; // mean and 95 % interval, with 2, 3 and 4 players

export function Findings() {
  const known = Object.entries(FOUND as Record<string, Figures>).filter(([, figures]) => figures.length > 0);
  if (known.length === 0) return null;
  return (
    <section class="findings">
      <h2>{say("found")}</h2>
      <p>{say("found.about")}</p>
      {known.map(([name, figures]) => (
        <details key={name}>
          <summary>{say(`found.${name}` as Key)}</summary>
          <table class="figures">
            <tbody>
              {figures.map(([mean = 0, low = 0, high = 0], index) => (
                <tr key={index}>
                  <th scope="row">{say("found.players", { count: index + 2 })}</th>
                  <td>{text.loss(mean)}</td>
                  <td>{say("found.interval", { low: text.loss(low), high: text.loss(high) })}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </section>
  );
}
