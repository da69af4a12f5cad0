// Which games the server notifies this browser of. Apart from the rest of the bell, which the lobby does not need.

import { signal } from "@preact/signals";
import { browser } from "../browser/storage.ts";

const KEPT = "push:"; // before the ID of a game, for the endpoint that its seats are notified at, and the server's key

const changes = signal(0); // of what is kept

/** Whether the user is notified of the turns of a game. */
export const pushed = (game: string): boolean =>
  changes.value >= 0 && targetKept(game) !== null && "Notification" in window && Notification.permission === "granted";

/** The endpoint and the key for a game; null if there are none. */
export const targetKept = (game: string): string | null => browser.get(KEPT + game);

/** Keep the endpoint and the key for a game; undefined removes them. */
export function keep(game: string, target: string | undefined): void {
  if (target === undefined) browser.remove(KEPT + game);
  else browser.set(KEPT + game, target);
  changes.value += 1;
}
