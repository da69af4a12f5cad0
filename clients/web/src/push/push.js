// The service worker of a served page: shows a notification for each push message of the server. It keeps no files.
//
// The build puts the texts of notifications before this line, by language, as TEXTS.

const WAIT_MS = 500; // for a tab to say which game it shows
const language = new URL(location).searchParams.get("language");
const texts = TEXTS[language] ?? TEXTS.en;
const asked = new Map(); // what to do with the tab that shows a game, by its ID

addEventListener("push", (event) => event.waitUntil(show(event.data.json().data)));
addEventListener("message", ({ data, source }) => asked.get(data)?.(source));
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.tag));
});

/** Show that it is somebody's turn, unless they are looking at the game. */
async function show({ game_id: id, game }) {
  if ((await tabOf(id))?.focused) return;
  const { title, direction: dir, games } = texts;
  await registration.showNotification(title, { body: games[game], dir, lang: language, tag: id, icon: "icon.svg" });
}

/** The tab that shows a game; undefined if there is none, or it does not answer. */
async function tabOf(id) {
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (!tabs.length) return undefined;
  return new Promise((resolve) => {
    asked.set(id, resolve);
    setTimeout(resolve, WAIT_MS);
    for (const tab of tabs) tab.postMessage(id);
  });
}

/** Go to the game of a notification. */
async function open(id) {
  const tab = await tabOf(id);
  if (tab) await tab.focus();
  else await clients.openWindow(`./#/game/${id}`);
}
