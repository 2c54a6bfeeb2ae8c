// Web push in this browser: support, subscribing, unsubscribing, and keeping the server's record up to date.
import { get, post } from "./api.js";
import { language } from "./i18n.js";

// Holds the id of the person whose notices this browser shows, or "moved" right after a log-in.
const STORAGE_KEY = "push";

const isApple = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);
const isInstalled = () =>
  matchMedia("(display-mode: standalone)").matches ||
  /** @type {{ standalone?: boolean }} */ (navigator).standalone === true;

/** Whether the site must be installed first: iPhones show notices only for installed apps. */
export const needsInstalling = () => isApple() && !isInstalled();
export const canPush = () =>
  window.isSecureContext &&
  "serviceWorker" in navigator &&
  "PushManager" in window &&
  "Notification" in window;

const subscribedPerson = () =>
  canPush() && Notification.permission === "granted" ? localStorage.getItem(STORAGE_KEY) : null;

/**
 * Whether this browser shows the notices of this person, not of one who used it before.
 * @param {string} person
 */
export const isPushOn = (person) =>
  subscribedPerson() !== null && [person, "moved"].includes(/** @type {string} */ (subscribedPerson()));

/** Whether a push may go unshown (to withdraw a notice). Safari ends a subscription after such a push. */
const canTakeSilentPush = () => !/^((?!Chrom|Android).)*Safari/.test(navigator.userAgent);

/** @param {string} text */
const decodeBase64Url = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
/**
 * @param {ArrayBuffer | null} buffer
 * @param {string} key
 */
const isSameKey = (buffer, key) =>
  buffer && decodeBase64Url(key).every((byte, at) => byte === new Uint8Array(buffer)[at]);

/**
 * @param {string} person
 * @param {string} key
 */
async function registerSubscription(person, key) {
  const { pushManager } = await navigator.serviceWorker.ready;
  let subscription = await pushManager.getSubscription();
  if (subscription && !isSameKey(subscription.options.applicationServerKey, key)) {
    // The server has a new key.
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: decodeBase64Url(key),
  });
  const { endpoint, keys } = /** @type {{ endpoint: string, keys: Record<string, string> }} */ (
    subscription.toJSON()
  );
  await post("/me/push", {
    endpoint,
    keys: { p256dh: keys.p256dh, auth: keys.auth },
    key,
    silent: canTakeSilentPush(),
    language: language(),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    // Another person may have logged in since the page asked for the current one.
    person,
  });
  localStorage.setItem(STORAGE_KEY, person);
}

/** The address at which this browser receives pushes, if it is subscribed. */
export async function pushEndpoint() {
  const { pushManager } = await navigator.serviceWorker.ready;
  return (await pushManager.getSubscription())?.endpoint;
}

/** Ask for permission and subscribe; false if the person or the browser declines. */
export async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const [{ person }, { key }] = await Promise.all([get("/me"), get("/me/push")]);
  await registerSubscription(person.id, key);
  return true;
}

export async function unsubscribe() {
  localStorage.removeItem(STORAGE_KEY);
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.getSubscription();
  if (!subscription) return;
  await post("/me/push/end", { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}

/**
 * Close the notices of this page and, once per visit, renew the subscription: a log-in, an expired session or a new
 * server key may have ended it on the server.
 */
export async function refreshSubscription() {
  if (subscribedPerson() === null) return;
  const registration = await navigator.serviceWorker.ready;
  for (const notice of await registration.getNotifications())
    if (notice.data?.url === location.pathname) notice.close();
  if (sessionStorage.getItem(STORAGE_KEY)) return;
  const { person } = await get("/me");
  // Another person uses this browser now and has not agreed to notices.
  if (!person || !isPushOn(person.id)) return;
  await registerSubscription(person.id, (await get("/me/push")).key);
  sessionStorage.setItem(STORAGE_KEY, "told");
}

/**
 * Keep the subscription across a log-in: `before` is the same person's id as a guest.
 * @param {string | undefined} before
 */
export function keepAfterLogin(before) {
  if (before && localStorage.getItem(STORAGE_KEY) === before) localStorage.setItem(STORAGE_KEY, "moved");
  sessionStorage.removeItem(STORAGE_KEY);
}

/** Forget the subscription after a log-out. */
export const forgetSubscription = () => localStorage.removeItem(STORAGE_KEY);
