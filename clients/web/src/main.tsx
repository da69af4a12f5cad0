// The page: the screen for each address.

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
  if (screen === "study" || screen === "puzzle")
    return <Later key={screen} screen={screen} words={route.value.slice(1)} />;
  return <Lobby />;
}

/** A link with a token: store it, and remove it from the address. */
function takeLink(id: string, [kind, ...rest]: string[]): void {
  const pairs = rest.flatMap((seat, index) => (index % 2 ? [] : [[Number(seat), rest[index + 1]]]));
  if (kind === "seat") addKeys(id, { seats: Object.fromEntries(pairs) });
  if (kind === "watch") addKeys(id, { onlooker: rest[0] ?? "" });
  go(["game", id], true);
}

const LATER = { study: () => import("./views/study.tsx"), puzzle: () => import("./views/puzzle.tsx") };

/** A screen that is loaded when it is first opened. */
function Later({ screen, words }: { screen: keyof typeof LATER; words: string[] }) {
  const view = useSignal<FunctionComponent<{ words: string[] }> | undefined>(undefined);
  useEffect(() => {
    void LATER[screen]().then((module) => {
      view.value = module.default;
    });
  }, []);
  const Screen = view.value;
  return Screen ? <Screen key={words.join("/")} words={words} /> : <p aria-busy="true">Opening…</p>;
}

render(<Page />, document.getElementById("page") as HTMLElement);
