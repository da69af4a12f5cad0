// Keys, and information about the page.

import { useSignal } from "@preact/signals";
import { browser } from "../browser/storage.ts";
import { choosePace, PACES, pace } from "../game/pace.ts";
import { chooseStay, STAYS, stay } from "../game/rounds.ts";
import { say } from "../language/texts.ts";
import { Dialog } from "../parts/parts.tsx";
import { useLater } from "../service/loading.ts";
import { LanguageChoice } from "./language.tsx";

const KEYS = [
  ["a", "key.actions"],
  ["/", "key.search"],
  ["?", "key.hints"],
  ["u", "key.take_back"],
  ["← →", "key.step"],
  ["Home End", "key.ends"],
  ["s", "key.skip"],
  ["r", "key.replay"],
  ["i", "key.explain"],
  ["t", "key.words"],
  ["h", "key.help"],
  ["Esc", "key.close"],
] as const;

export function Help({ onClose }: { onClose(): void }) {
  const First = useLater(() => import("../first/settings.tsx"));
  const keys = useSignal(browser.get("keys") !== "off");
  return (
    <Dialog title={say("menu.help")} onClose={onClose}>
      <table class="keys">
        <tbody>
          {KEYS.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{say(what)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        <input
          type="checkbox"
          checked={keys.value}
          onChange={(event) => {
            keys.value = event.currentTarget.checked;
            browser.set("keys", keys.value ? "on" : "off");
          }}
        />{" "}
        {say("help.keys")}
      </label>
      <LanguageChoice />
      <label>
        {say("help.pace")}{" "}
        <select value={String(pace.value)} onChange={(event) => choosePace(Number(event.currentTarget.value))}>
          {PACES.map((milliseconds) => (
            <option key={milliseconds} value={String(milliseconds)}>
              {milliseconds ? say("help.pace.seconds", { seconds: milliseconds / 1000 }) : say("help.pace.none")}
            </option>
          ))}
        </select>
      </label>
      <label>
        {say("help.round")}{" "}
        <select value={String(stay.value)} onChange={(event) => chooseStay(Number(event.currentTarget.value))}>
          {STAYS.map((milliseconds) => (
            <option key={milliseconds} value={String(milliseconds)}>
              {milliseconds ? say("seconds", { seconds: milliseconds / 1000 }) : say("help.round.none")}
            </option>
          ))}
        </select>
      </label>
      {First && <First />}
      <p>{say("help.lines")}</p>
      <p class="muted">{say("help.licence")}</p>
    </Dialog>
  );
}
