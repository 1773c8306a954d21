/**
 * Keeps the pages of one build, so that they open without a network. It never touches `/v1/`.
 *
 * `make web` writes the build and the files of the shell here.
 */
const build = "development";
const shell = ["./"];
const cacheName = `commute ${build}`;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(cacheName).then((cache) =>
      cache.addAll(shell.map((path) => new Request(path, { cache: "reload" }))),
    ).then(() => self.registration.active ? undefined : self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const tidy = caches.keys().then((names) =>
    Promise.all(
      names.filter((name) => name.startsWith("commute ") && name !== cacheName)
        .map((name) => caches.delete(name)),
    ),
  );
  event.waitUntil(tidy.then(() => self.clients.claim()));
});

self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith("/v1/") || url.pathname === "/health") return;
  event.respondWith(
    caches.open(cacheName).then((cache) =>
      cache.match(request.mode === "navigate" ? "./" : request, { ignoreSearch: true }),
    ).then((kept) => kept ?? fetch(request)),
  );
});
