// Keeps the page usable without a connection: what it is made of is kept, photos and scores never are (store.js keeps those).
const CACHE = "hupai-15";
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
  "js/service/api.js",
  "js/photo/camera.js",
  "js/service/changes.js",
  "js/score/asked.js",
  "js/score/circumstances.js",
  "js/score/compare.js",
  "js/hand/corrections.js",
  "js/shell/dom.js",
  "js/hand/drag.js",
  "js/service/deals.js",
  "js/service/events.js",
  "js/shell/frame.js",
  "js/hand/hand.js",
  "js/hand/view.js",
  "js/shell/history.js",
  "js/shell/i18n.js",
  "js/service/ids.js",
  "js/learn/labels.js",
  "js/learn/teach.js",
  "js/shell/key.js",
  "js/main.js",
  "js/photo/order.js",
  "js/photo/overlay.js",
  "js/photo/photo.js",
  "js/score/penalties.js",
  "js/shell/press.js",
  "js/score/players.js",
  "js/score/questions.js",
  "js/score/refusal.js",
  "js/score/table.js",
  "js/score/together.js",
  "js/shell/reach.js",
  "js/score/view.js",
  "js/service/session.js",
  "js/service/shown.js",
  "js/shell/share.js",
  "js/shell/sheet.js",
  "js/hand/sheets.js",
  "js/hand/texts.js",
  "js/service/state.js",
  "js/service/store.js",
  "js/shell/theme.js",
  "js/hand/tiles.js",
  "js/service/table.js",
  "js/service/tileset.js",
  "js/view.js",
  "js/photo/ways.js",
  "js/photo/zoom.js",
  "js/shell/words.js",
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
