// The service worker: keeps one page for when the network is away, in the language that is read now; shows what the
// server tells people who are away. It touches nothing else.

const CACHE = "cartagena-offline-1";

self.addEventListener("install", (event) => {
  // Without the offline page the worker still shows notices; the next navigation tries again (followLanguage).
  event.waitUntil(keepOffline().catch(() => null).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))).then(() => self.clients.claim()),
  );
});

/**
 * Cache the offline page and the files it names. The page is stored last and the files of the page before it are
 * deleted after that, so a connection lost halfway leaves a page whose files are all there.
 */
async function keepOffline() {
  const cache = await caches.open(CACHE);
  const page = await fetch("/offline", { credentials: "same-origin" });
  if (!page.ok) return;
  const text = await page.clone().text();
  const files = new Set([...text.matchAll(/(?:href|src)="(\/static\/[^"#]+)"/g)].map((match) => match[1]));
  await Promise.all([...files].map(async (file) => (await cache.match(file)) ?? cache.add(file)));
  await cache.put("/offline", page);
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/static/") && !files.has(pathname)) await cache.delete(request);
  }
}

let lastRefresh = Promise.resolve();

/** Cache the offline page in the language of the page that was just read. Refreshes run one after the other. */
function followLanguage({ headers }) {
  const language = headers.get("Content-Language");
  lastRefresh = lastRefresh.catch(() => null).then(async () => {
    const kept = await caches.match("/offline");
    if (language && kept?.headers.get("Content-Language") !== language) await keepOffline();
  });
  return lastRefresh;
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

// -- notices ---------------------------------------------------------------------------------------

/** A push: {v, t, tag, id, lang, title, body, url, deadline, due}; `gone` takes back what was played elsewhere. */
async function tell(told) {
  const shown = await self.registration.getNotifications({ tag: told.tag });
  if (told.t === "gone") {
    for (const notice of shown) notice.close();
    return;
  }
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (windows.some(({ url, visibilityState }) => visibilityState === "visible" && new URL(url).pathname === told.url)) return;
  // The same notice may be sent twice (the server died before it noted the first): then without a sound.
  const cache = await caches.open(CACHE);
  const last = await cache.match(`/told/${told.tag}`);
  const isAgain = (await last?.text()) === told.id;
  await cache.put(`/told/${told.tag}`, new Response(told.id));
  const when = told.due?.replace("{when}", new Intl.DateTimeFormat(told.lang, { weekday: "long", hour: "numeric", minute: "2-digit" }).format(told.deadline));
  await self.registration.showNotification(told.title, {
    body: [told.body, when].filter(Boolean).join(" \u00b7 "),
    tag: told.tag,
    lang: told.lang,
    icon: "/icon.svg",
    renotify: !isAgain,
    silent: isAgain,
    data: { url: told.url, id: told.id },
  });
}

/** The table is brought to the front where it is open, else opened. */
async function openTable(path) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find(({ url }) => new URL(url).pathname === path);
  if (open) await open.focus();
  else await self.clients.openWindow(path);
}

/** The browser was given another address for its pushes: the server must know it. */
async function subscribeAnew({ oldSubscription, newSubscription }) {
  const options = (newSubscription ?? oldSubscription)?.options;
  const subscription = newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)));
  if (!subscription) return; // the next page does it
  const { endpoint, keys } = subscription.toJSON();
  const key = btoa(String.fromCharCode(...new Uint8Array(subscription.options.applicationServerKey)));
  const body = { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, key: key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") };
  if (oldSubscription) body.replaces = oldSubscription.endpoint;
  await fetch("/api/v1/me/push", {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

self.addEventListener("push", (event) => event.waitUntil(tell(event.data.json())));
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribeAnew(event)));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openTable(event.notification.data.url));
});
