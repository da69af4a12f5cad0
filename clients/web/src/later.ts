// The screens that are loaded when they are first opened, with the style and the texts that the lobby does not need.

import { FILES } from "./gen/table.ts";
import { learn } from "./texts.ts";

let dressed: Promise<unknown> | undefined;

/** Load the style of the screens, whose address is in the index. */
function dress(): Promise<unknown> {
  dressed ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    const href = document.querySelector<HTMLElement>("[data-screens]")?.dataset.screens ?? "";
    const failed = () => {
      dressed = undefined;
      reject();
    };
    document.head.append(Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: failed }));
  });
  return dressed;
}

/** A screen with all that it needs. */
const whole =
  <Screen>(load: () => Promise<Screen>) =>
  async (): Promise<Screen> => {
    const [screen] = await Promise.all([load(), learn(FILES), dress()]);
    return screen;
  };

export const LATER = {
  game: whole(() => import("./views/game.tsx")),
  study: whole(() => import("./views/study.tsx")),
  learn: whole(() => import("./lessons/screen.tsx")),
  path: whole(() => import("./path/screen.tsx")),
  puzzle: whole(() => import("./views/puzzle.tsx")),
  box: whole(() => import("./views/box.tsx")),
};
