// Keeps the page usable without a connection: what it is made of is kept, photos and scores never are (store.js keeps those).
const CACHE = "hupai-3";
const DATA = ["/", "/v1/rules", "/v1/tiles", "/examples"];
const FILES = [
  "icon.svg",
  "symbols.svg",
  "manifest.webmanifest",
  "css/base.css",
  "css/camera.css",
  "css/page.css",
  "css/score.css",
  "css/tiles.css",
  "js/api.js",
  "js/camera.js",
  "js/changes.js",
  "js/circumstances.js",
  "js/compare.js",
  "js/corrections.js",
  "js/dom.js",
  "js/drag.js",
  "js/events.js",
  "js/frame.js",
  "js/hand.js",
  "js/handview.js",
  "js/history.js",
  "js/i18n.js",
  "js/ids.js",
  "js/key.js",
  "js/main.js",
  "js/overlay.js",
  "js/photo.js",
  "js/questions.js",
  "js/reach.js",
  "js/scoreview.js",
  "js/session.js",
  "js/share.js",
  "js/sheet.js",
  "js/sheets.js",
  "js/state.js",
  "js/store.js",
  "js/theme.js",
  "js/tiles.js",
  "js/tileset.js",
  "js/view.js",
  "js/ways.js",
  "js/words.js",
];

self.addEventListener("install", (event) => event.waitUntil(fill().then(() => self.skipWaiting())));

/** Everything at the first visit already: the page, its files, the tiles' drawings. */
async function fill() {
  const cache = await caches.open(CACHE);
  await cache.addAll([...DATA, ...FILES.map((name) => `/page/${name}`)]);
  const { tiles } = await (await cache.match("/v1/tiles")).json();
  await cache.addAll(["back", ...tiles.map((tile) => tile.code).filter((code) => code !== "?")].map((code) => `/v1/tiles/${code}.svg`));
}

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const known = DATA.includes(url.pathname) || url.pathname.startsWith("/page/") || url.pathname.startsWith("/v1/tiles/");
  if (event.request.method === "GET" && url.origin === location.origin && known) event.respondWith(freshOrKept(event.request));
});

/** From the network, and kept; from what was kept when there is no network. */
async function freshOrKept(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
