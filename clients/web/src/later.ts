// The screens that are loaded when they are first opened, with the style and the texts that the lobby does not need.

import { FILES } from "./gen/table.ts";
import { learn } from "./language/texts.ts";
import { got } from "./service/files.ts";

let dressed: Promise<unknown> | undefined;

/** Load the style of the screens, whose address is in the index. */
function dress(): Promise<unknown> {
  const { screens = "" } = document.querySelector<HTMLElement>("[data-screens]")?.dataset ?? {};
  dressed ??= got(screens, styled).catch((error) => {
    dressed = undefined;
    throw error;
  });
  return dressed;
}

/** Load a style sheet. */
const styled = (href: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const link = document.createElement("link");
    document.head.append(Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: reject }));
  });

/** A screen with all that it needs. */
const whole =
  <Screen>(load: () => Promise<Screen>) =>
  async (): Promise<Screen> => {
    const [screen] = await Promise.all([load(), learn(FILES), dress()]);
    return screen;
  };

export const LATER = {
  game: whole(() => import("./views/game.tsx")),
  study: whole(() => import("./study/screen.tsx")),
  learn: whole(() => import("./lessons/screen.tsx")),
  path: whole(() => import("./path/screen.tsx")),
  puzzle: whole(() => import("./puzzle/screen.tsx")),
  edit: whole(() => import("./edit/screen.tsx")),
  box: whole(() => import("./box/screen.tsx")),
};

/** Load a screen that will soon be opened. */
export const prepare = (screen: keyof typeof LATER): void => void LATER[screen]().catch(() => undefined);
