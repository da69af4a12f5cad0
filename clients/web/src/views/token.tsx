// The server's own token, if it requires one.

import { useSignal } from "@preact/signals";
import { say } from "../language/texts.ts";
import { keepToken } from "../service/api.ts";

export function TokenScreen() {
  const typed = useSignal("");
  return (
    <main class="page">
      <h1>{say("token")}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keepToken(typed.value.trim());
        }}
      >
        <label>
          {say("token.from")}
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
          {say("token.go_on")}
        </button>
      </form>
    </main>
  );
}
