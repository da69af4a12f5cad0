// Push messages of the server when it is the user's turn, even if no tab shows the game.

import { browser } from "../browser/storage.ts";
import { language } from "../language/texts.ts";
import { games } from "../service/api.ts";
import type { Kept } from "./kept.ts";

const KEPT = "push:"; // before the ID of a game, for the endpoint that its seats are notified at, and the server's key

/** Whether the server can notify this browser. */
export const mayPush = ({ pushKey }: Kept): boolean =>
  pushKey.value !== "" && "serviceWorker" in navigator && "PushManager" in window;

/** Whether the user is notified of the turns of a game. */
export const pushed = (game: string): boolean =>
  browser.get(KEPT + game) !== null && "Notification" in window && Notification.permission === "granted";

/** Let the server notify this browser of the turns of the user's seats; returns false if the browser refuses that. */
export async function subscribe(kept: Kept): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const subscription = await subscribed(kept.pushKey.value).catch(() => undefined);
  if (!subscription) return false;
  const pushKeys = { p256dh: keyOf(subscription, "p256dh"), auth: keyOf(subscription, "auth") };
  for (const seat of kept.mine.value)
    await games.addNoticeTarget({ gameId: kept.id, tokens: kept.tokens, seat, url: subscription.endpoint, pushKeys });
  browser.set(KEPT + kept.id, targetOf(subscription, kept));
  return true;
}

/** Subscribe again if the browser has another subscription by now, or none, or the server has another key. */
export async function renew(kept: Kept): Promise<void> {
  if (!mayPush(kept) || !pushed(kept.id)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (targetOf(subscription, kept) !== browser.get(KEPT + kept.id)) await subscribe(kept);
}

const targetOf = (subscription: PushSubscription | null | undefined, { pushKey }: Kept) =>
  `${subscription?.endpoint} ${pushKey.value}`;

/** Undo this; returns true. The subscription of the browser stays, because other games may use it. */
export async function unsubscribe(kept: Kept): Promise<boolean> {
  const [url = ""] = (browser.get(KEPT + kept.id) ?? "").split(" ");
  for (const seat of kept.mine.value)
    await games.removeNoticeTarget({ gameId: kept.id, tokens: kept.tokens, seat, url });
  browser.remove(KEPT + kept.id);
  return true;
}

/** The subscription of this browser, for a key of the server; one for another key is replaced. */
async function subscribed(applicationServerKey: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register(`push.js?language=${language.value}`);
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey };
  return pushManager.subscribe(options).catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
}

const keyOf = (subscription: PushSubscription, name: PushEncryptionKeyName) =>
  new Uint8Array(subscription.getKey(name) ?? []);

/** Answer the service worker that this tab shows a game; returns a function that stops answering. */
export function answerWorker(game: string): () => void {
  const answer = ({ data, source }: MessageEvent<string>) => {
    if (data === game) (source as ServiceWorker | null)?.postMessage(game);
  };
  const worker = "serviceWorker" in navigator ? navigator.serviceWorker : undefined;
  worker?.addEventListener("message", answer);
  return () => worker?.removeEventListener("message", answer);
}
