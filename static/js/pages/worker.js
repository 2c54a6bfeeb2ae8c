// The service worker: keeps one page for when the network is away, in the language that is read now, and touches
// nothing else.

const CACHE = "cartagena-offline-1";

self.addEventListener("install", (event) => {
  event.waitUntil(keepOffline().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))).then(() => self.clients.claim()),
  );
});

/** The offline page and the files it names, so that it looks like the other pages. */
async function keepOffline() {
  const cache = await caches.open(CACHE);
  const page = await fetch("/offline", { credentials: "same-origin" });
  if (!page.ok) return;
  const text = await page.clone().text();
  await cache.put("/offline", page);
  const files = [...text.matchAll(/(?:href|src)="(\/static\/[^"#]+)"/g)].map((match) => match[1]);
  await Promise.all([...new Set(files)].map((file) => cache.add(file).catch(() => null)));
}

/** A page came in some language: the page that is kept should speak it too. */
async function followLanguage({ headers }) {
  const language = headers.get("Content-Language");
  const kept = await caches.match("/offline");
  if (language && kept?.headers.get("Content-Language") !== language) await keepOffline();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") {
    const page = fetch(request);
    event.respondWith(page.catch(() => caches.match("/offline")));
    event.waitUntil(page.then(followLanguage).catch(() => null)); // without a network it stays as it is
  } else if (request.url.includes("/static/")) {
    event.respondWith(fetch(request).catch(() => caches.match(request)));
  }
});
