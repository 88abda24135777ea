// Keeps the page usable without a connection: what it is made of is cached as it is used, photos and scores never are.
const CACHE = "hupai-1";
const SHELL = ["/", "/v1/rules", "/v1/tiles", "/examples", "/page/icon.svg", "/page/symbols.svg"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const known = SHELL.includes(url.pathname) || url.pathname.startsWith("/page/") || url.pathname.startsWith("/v1/tiles/");
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
