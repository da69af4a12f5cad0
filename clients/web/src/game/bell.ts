// Push messages of the server when it is the user's turn, even if no tab shows the game.

import { language } from "../language/texts.ts";
import { games } from "../service/api.ts";
import { insist, mayPass } from "../service/insist.ts";
import type { Kept } from "./kept.ts";
import { keep, pushed, targetKept } from "./pushed.ts";

/** Whether the server can notify this browser. */
export const mayPush = ({ pushKey }: Kept): boolean =>
  !!pushKey.value && "serviceWorker" in navigator && "PushManager" in window;

/** Let the server notify this browser of the turns of the user's seats; returns false if the browser refuses that. */
export async function subscribe(kept: Kept): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const subscription = await subscribed(kept.pushKey.value ?? "").catch(() => undefined);
  if (!subscription) return false;
  const pushKeys = { p256dh: keyOf(subscription, "p256dh"), auth: keyOf(subscription, "auth") };
  for (const seat of kept.mine.value)
    await games.addNoticeTarget({ gameId: kept.id, tokens: kept.tokens, seat, url: subscription.endpoint, pushKeys });
  keep(kept.id, targetOf(subscription, kept));
  return true;
}

/**
 * Subscribe again if the browser has another subscription by now, or none, or the server has another key.
 *
 * If the server no longer notifies this browser, the user is told so: a push service may have dropped the subscription.
 */
export function renew(kept: Kept): void {
  const before = renewed.get(kept) ?? Promise.resolve();
  renewed.set(
    kept,
    before.then(() => renewOnce(kept)).catch(() => undefined),
  );
}

const renewed = new WeakMap<Kept, Promise<void>>(); // one after the other: each may change what is kept

async function renewOnce(kept: Kept): Promise<void> {
  if (kept.pushKey.value === undefined || !pushed(kept.id)) return;
  if (!mayPush(kept)) return keep(kept.id, undefined);
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (targetOf(subscription, kept) !== targetKept(kept.id)) await subscribe(kept);
  else if (!(await isActive(kept))) keep(kept.id, undefined);
}

/** Whether the server notifies this browser of the turns of a seat of the user. */
async function isActive(kept: Kept): Promise<boolean> {
  const asked = { gameId: kept.id, tokens: kept.tokens, url: urlOf(kept) };
  const until = { wanted: () => pushed(kept.id), passes: mayPass };
  const ask = (seat: number) => insist(() => games.getNoticeTarget({ ...asked, seat }), until);
  const answers = await Promise.all(kept.mine.value.map(ask));
  return answers.some(({ active }) => active);
}

const urlOf = ({ id }: Kept) => targetKept(id)?.split(" ")[0] ?? "";

const targetOf = (subscription: PushSubscription | null | undefined, { pushKey }: Kept) =>
  `${subscription?.endpoint} ${pushKey.value}`;

/** Undo this; returns true. The subscription of the browser stays, because other games may use it. */
export async function unsubscribe(kept: Kept): Promise<boolean> {
  const url = urlOf(kept);
  for (const seat of kept.mine.value)
    await games.removeNoticeTarget({ gameId: kept.id, tokens: kept.tokens, seat, url });
  keep(kept.id, undefined);
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
