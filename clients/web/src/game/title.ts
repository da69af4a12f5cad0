// News for people who look elsewhere, such as "Your turn": in the title of the tab, and as a notification if allowed.

import { say } from "../language/texts.ts";
import { pushed } from "./pushed.ts";

let told = "";

/** Show the news of a game; empty for none. The server may also notify the browser of turns (`turn`). */
export function notice(words: string, game = "", turn = false): void {
  const title = words ? `● ${words} – ${say("title")}` : say("title");
  if (document.title !== title) document.title = title;
  const news = words && `${words} ${game}`;
  const fresh = news !== told;
  told = news;
  if (news && fresh && document.hidden && allowed() && !(turn && pushed(game))) notify(words, game);
}

function notify(words: string, game: string): void {
  try {
    new Notification(words, { icon: "/icon.svg", tag: game });
  } catch {
    // Browsers of phones have notifications of service workers only.
  }
}

/** Whether notifications may be shown. */
function allowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}

/** Whether the browser can still ask for permission. */
export function askable(): boolean {
  return "Notification" in window && Notification.permission === "default";
}
