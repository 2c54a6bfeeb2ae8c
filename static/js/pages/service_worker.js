// The service worker: caches the offline page in the current language and shows the server's push notices.

const CACHE = "cartagena-offline-1";
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/**
 * A push message. With `t` "gone" it withdraws a notice, because the move was made elsewhere.
 * @typedef {object} PushMessage
 * @property {string} [t]
 * @property {string} tag
 * @property {string} id
 * @property {string} lang
 * @property {string} title
 * @property {string} body
 * @property {string} url
 * @property {number} [deadline]
 * @property {string} [due]
 */

worker.addEventListener("install", (event) => {
  // Without the offline page the worker still shows notices; the next navigation retries (refreshForLanguage).
  event.waitUntil(
    cacheOfflinePage()
      .catch(() => null)
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  );
});

/**
 * Cache the offline page and its files. The page is stored last and the old files are deleted after it, so that an
 * interrupted update leaves a complete page.
 */
async function cacheOfflinePage() {
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

/**
 * Cache the offline page in the language of the page that was just read. Refreshes run one after the other.
 * @param {Response} response
 */
function refreshForLanguage({ headers }) {
  const language = headers.get("Content-Language");
  lastRefresh = lastRefresh
    .catch(() => null)
    .then(async () => {
      const offlinePage = await caches.match("/offline");
      if (language && offlinePage?.headers.get("Content-Language") !== language) await cacheOfflinePage();
    });
  return lastRefresh;
}

/**
 * Return the cached response. If there is none, the page gets a network error.
 * @param {RequestInfo} address
 */
const cached = (address) => /** @type {Promise<Response>} */ (caches.match(address));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") {
    const page = fetch(request);
    event.respondWith(page.catch(() => cached("/offline")));
    // Offline, the cached page stays as it is.
    event.waitUntil(page.then(refreshForLanguage).catch(() => null));
  } else if (request.url.includes("/static/")) {
    event.respondWith(fetch(request).catch(() => cached(request)));
  }
});

// -- notices ---------------------------------------------------------------------------------------

/**
 * Format a deadline in this device's time zone: "Sat 18:00", with the date if it is most of a week away.
 * @param {string} language
 * @param {number} deadline
 */
function formatDeadline(language, deadline) {
  const isThisWeek = deadline - Date.now() < 6 * 86_400_000;
  /** @type {Intl.DateTimeFormatOptions} */
  const date = isThisWeek ? {} : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    weekday: "short",
    ...date,
    hour: "numeric",
    minute: "2-digit",
  }).format(deadline);
}

/**
 * Show or withdraw the notice of a push message.
 * @param {PushMessage} message
 */
async function showNotice(message) {
  const shown = await worker.registration.getNotifications({ tag: message.tag });
  if (message.t === "gone") {
    for (const notice of shown) notice.close();
    return;
  }
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (
    windows.some(
      ({ url, visibilityState }) => visibilityState === "visible" && new URL(url).pathname === message.url,
    )
  )
    return;
  // After a crash the server may send the same notice again; the repeat is silent.
  const cache = await caches.open(CACHE);
  const last = await cache.match(`/told/${message.tag}`);
  const isAgain = (await last?.text()) === message.id;
  await cache.put(`/told/${message.tag}`, new Response(message.id));
  const when = message.due?.replace("{when}", formatDeadline(message.lang, Number(message.deadline)));
  /** @type {NotificationOptions & { renotify: boolean }} */
  const options = {
    body: [message.body, when].filter(Boolean).join(" \u00b7 "),
    tag: message.tag,
    lang: message.lang,
    icon: "/icon.svg",
    renotify: !isAgain,
    silent: isAgain,
    data: { url: message.url, id: message.id },
  };
  await worker.registration.showNotification(message.title, options);
}

/**
 * Focus the window with the table, or open one.
 * @param {string} path
 */
async function openTable(path) {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find(({ url }) => new URL(url).pathname === path);
  if (open) await open.focus();
  else await worker.clients.openWindow(path);
}

/**
 * Send the browser's new push endpoint to the server.
 * @param {PushSubscriptionChangeEvent} event
 */
async function resubscribe({ oldSubscription, newSubscription }) {
  const options = (newSubscription ?? oldSubscription)?.options;
  const subscription =
    newSubscription ?? (options && (await worker.registration.pushManager.subscribe(options)));
  // The next page subscribes again.
  if (!subscription) return;
  const { endpoint, keys } = /** @type {{ endpoint: string, keys: Record<string, string> }} */ (
    subscription.toJSON()
  );
  const key = btoa(
    String.fromCharCode(
      ...new Uint8Array(/** @type {ArrayBuffer} */ (subscription.options.applicationServerKey)),
    ),
  );
  /** @type {{ endpoint: string, keys: Record<string, string>, key: string, replaces?: string }} */
  const body = {
    endpoint,
    keys: { p256dh: keys.p256dh, auth: keys.auth },
    key: key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
  };
  if (oldSubscription) body.replaces = oldSubscription.endpoint;
  await fetch("/api/v1/me/push", {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

worker.addEventListener("push", (event) =>
  event.waitUntil(showNotice(/** @type {PushMessageData} */ (event.data).json())),
);
worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(resubscribe(event)));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openTable(event.notification.data.url));
});
