// The page: which screen stands at which address.

import "./style.css";
import "./views/review.css";
import { useSignal } from "@preact/signals";
import { type FunctionComponent, render } from "preact";
import { useEffect } from "preact/hooks";
import { tokenWanted } from "./api.ts";
import { go, route } from "./route.ts";
import { addKeys } from "./tokens.ts";
import { GameScreen } from "./views/game.tsx";
import { Lobby } from "./views/lobby.tsx";
import { TokenScreen } from "./views/token.tsx";

function Page() {
  const [screen, id, ...more] = route.value;
  const linked = screen === "game" && id !== undefined && more.length > 1;
  useEffect(() => {
    if (linked) takeLink(id, more);
  });
  if (tokenWanted.value) return <TokenScreen />;
  if (linked) return null;
  if (screen === "game" && id) return <GameScreen key={id} id={id} />;
  if (screen === "study") return <Later words={route.value.slice(1)} />;
  return <Lobby />;
}

/** A link with a token: keep it, and leave it out of the address. */
function takeLink(id: string, [kind, ...rest]: string[]): void {
  const pairs = rest.flatMap((seat, index) => (index % 2 ? [] : [[Number(seat), rest[index + 1]]]));
  if (kind === "seat") addKeys(id, { seats: Object.fromEntries(pairs) });
  if (kind === "watch") addKeys(id, { onlooker: rest[0] ?? "" });
  go(["game", id], true);
}

/** The study, which is loaded when it is first opened. */
function Later({ words }: { words: string[] }) {
  const screen = useSignal<FunctionComponent<{ words: string[] }> | undefined>(undefined);
  useEffect(() => {
    void import("./views/study.tsx").then((module) => {
      screen.value = module.default;
    });
  }, []);
  const Screen = screen.value;
  return Screen ? <Screen key={words.join("/")} words={words} /> : <p aria-busy="true">Opening…</p>;
}

render(<Page />, document.getElementById("page") as HTMLElement);
