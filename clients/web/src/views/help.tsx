// Keys, and information about the page.

import { useSignal } from "@preact/signals";
import { Dialog } from "../parts.tsx";
import { LANGUAGES, language } from "../text.ts";

const KEYS: [string, string][] = [
  ["a", "to the actions; Tab goes on, Enter chooses"],
  ["/", "search the actions; Enter chooses the first"],
  ["?", "hints: off, where to look, the move, everything"],
  ["u", "take back"],
  ["← →", "step through the game, or through a line that is played out"],
  ["Home End", "to the beginning, to the present"],
  ["t", "the board in words, or drawn"],
  ["h", "this page"],
  ["Esc", "close"],
];

export function Help({ onClose }: { onClose(): void }) {
  const keys = useSignal(localStorage.getItem("keys") !== "off");
  return (
    <Dialog title="Help" onClose={onClose}>
      <table class="keys">
        <tbody>
          {KEYS.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
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
            localStorage.setItem("keys", keys.value ? "on" : "off");
          }}
        />{" "}
        Keys are on
      </label>
      <label>
        Card names{" "}
        <select
          value={language()}
          onChange={(event) => {
            localStorage.setItem("language", event.currentTarget.value);
            location.reload();
          }}
        >
          {["en", ...Object.keys(LANGUAGES)].map((code) => (
            <option key={code} value={code}>
              {new Intl.DisplayNames("en", { type: "language" }).of(code)}
            </option>
          ))}
        </select>
      </label>
      <p>
        Hover or focus a line of the hints and it is played out on the board; the wheel or the arrow keys step through
        it. Nothing is shown that the seat could not know.
      </p>
      <p class="muted">
        Clerestory is an unofficial program, not affiliated with the makers of the games. It is free software under the
        Apache License 2.0.
      </p>
    </Dialog>
  );
}
