// The service worker: keeps all files of one build, so that the page works without a network after one visit.
//
// The build puts the name of the build and its files before this line, as BUILD and FILES.

const CACHE = `clerestory ${registration.scope} `;

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(takeOver()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(registration.scope)) event.respondWith(answer(event.request));
});

async function keep() {
  const cache = await caches.open(CACHE + BUILD);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
}

/** Serve the pages that are open, and remove the files of earlier builds, which no page uses any more. */
async function takeOver() {
  const old = (await caches.keys()).filter((name) => name.startsWith(CACHE) && name !== CACHE + BUILD);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

async function answer(request) {
  const cache = await caches.open(CACHE + BUILD);
  const kept = await cache.match(request.mode === "navigate" ? "./" : request, {
    ignoreSearch: true,
    ignoreVary: true,
  });
  return kept ?? fetch(request);
}
