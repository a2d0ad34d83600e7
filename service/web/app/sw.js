// The service worker: keeps the page's files, so that it opens without a network. Games never come
// from here: what the API says is always fresh, or not there.

const CACHE = "qwirkle-RELEASE";
const START = ["./", "manifest.webmanifest", "icons/192.png", "docs/assets/icon.svg"];
const PARTS = ["PARTS"];
const isPart = (path) => path.includes("/table/RELEASE/");
const isKept = (path) => isPart(path) || path.includes("/words/") || START.some((each) => endsLike(path, each));
const endsLike = (path, name) => path.endsWith(`/${name === "./" ? "" : name}`);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then(keepFiles));
  self.skipWaiting();
});

async function keepFiles(cache) {
  await cache.addAll([...START, ...PARTS]);
  // The page may be set to another language; its texts are kept when they are next loaded.
  const language = self.navigator.language.slice(0, 2);
  await cache.add(`words/${language}.json`).catch(() => cache.add("words/en.json"));
}

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOldReleases().then(() => self.clients.claim()));
});

async function removeOldReleases() {
  const old = (await caches.keys()).filter((name) => name.startsWith("qwirkle-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== self.location.origin || !isKept(pathname)) return;
  event.respondWith(isPart(pathname) ? fromCache(event.request) : fromNetwork(event.request));
});

/** A file whose name changes with its content. */
async function fromCache(request) {
  return (await caches.match(request)) ?? fromNetwork(request);
}

/** What may change: fresh if possible, else as it was kept. */
async function fromNetwork(request) {
  try {
    const response = await fetch(request);
    if (response.ok) (await caches.open(CACHE)).put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await caches.match(request);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(showPage());
});

async function showPage() {
  const [page] = await self.clients.matchAll({ type: "window" });
  return page ? page.focus() : self.clients.openWindow("./");
}
