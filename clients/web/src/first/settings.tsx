// The settings of the help in first games.

import { FILES } from "../gen/table.ts";
import { learn, say } from "../language/texts.ts";
import { useLoaded } from "../service/loading.ts";
import { ASKED, type Asked, asked, explains, wish } from "./wishes.ts";

export default function Settings() {
  const { found } = useLoaded("first", () => learn(FILES).then(() => true));
  if (!found) return null;
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={explains.value}
          onChange={(event) => wish({ explain: event.currentTarget.checked })}
        />{" "}
        {say("first.explain")}
      </label>
      <label>
        {say("first.ask")}{" "}
        <select value={asked.value} onChange={(event) => wish({ ask: event.currentTarget.value as Asked })}>
          {ASKED.map((one) => (
            <option key={one} value={one}>
              {say(`first.ask.${one}`)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
