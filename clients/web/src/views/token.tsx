// The server's own token, if it requires one.

import { useSignal } from "@preact/signals";
import { keepToken } from "../api.ts";

export function TokenScreen() {
  const typed = useSignal("");
  return (
    <main class="page">
      <h1>This server requires a token</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keepToken(typed.value.trim());
        }}
      >
        <label>
          Token, from whoever runs the server
          <input
            type="password"
            autocomplete="off"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="main">
          Go on
        </button>
      </form>
    </main>
  );
}
