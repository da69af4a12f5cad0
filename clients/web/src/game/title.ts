// "Your turn" for people who look elsewhere: in the title of the tab, and as a notification if allowed.

import { say } from "../language/texts.ts";
import { pushed } from "./bell.ts";

let told = "";

/** Show whether it is the user's turn in a game. */
export function notice(mine: boolean, game: string): void {
  const title = mine ? `● ${say("your_turn")} – ${say("title")}` : say("title");
  if (document.title !== title) document.title = title;
  const news = mine ? game : "";
  const fresh = news !== told;
  told = news;
  if (news && fresh && document.hidden && allowed() && !pushed(game)) notify(game);
}

function notify(game: string): void {
  try {
    new Notification(say("your_turn"), { icon: "/icon.svg", tag: game });
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
