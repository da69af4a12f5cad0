// "Your turn" where it is seen from elsewhere: in the title of the tab, and as a notification where that is allowed.

import { text } from "./text.ts";

let told = "";

/** Say whether it is one's turn in a game. */
export function notice(mine: boolean, game: string): void {
  const title = mine ? `● ${text.yourTurn} – ${text.title}` : text.title;
  if (document.title !== title) document.title = title;
  const news = mine ? game : "";
  if (news && news !== told && document.hidden && allowed())
    new Notification(text.yourTurn, { icon: "/icon.svg", tag: game });
  told = news;
}

/** Whether notifications may be shown. */
export function allowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}

/** Whether one can still be asked for them. */
export function askable(): boolean {
  return "Notification" in window && Notification.permission === "default";
}
