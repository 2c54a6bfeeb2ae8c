// Web push in this browser: whether it can, beginning and ending it, and keeping the server's word for it true.
import { get, post } from "./api.js";
import { language } from "./i18n.js";

const KEPT = "push"; // whose notices this browser shows; "moved": of whoever has just logged in

const isApple = () => /iPhone|iPad|iPod/.test(navigator.userAgent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);
const isInstalled = () => matchMedia("(display-mode: standalone)").matches || navigator.standalone === true;

/** An iPhone shows notices for the installed app only. */
export const needsInstalling = () => isApple() && !isInstalled();
export const canPush = () => window.isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const whose = () => (canPush() && Notification.permission === "granted" ? localStorage.getItem(KEPT) : null);

/** Whether this browser tells somebody, by their id. Whoever it told before they came was another person. */
export const isOn = (person) => whose() !== null && [person, "moved"].includes(whose());

/** Safari ends a subscription that is sent something it does not show; elsewhere a notice can be taken back. */
const takesSilent = () => !/^((?!Chrom|Android).)*Safari/.test(navigator.userAgent);

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const isSame = (buffer, key) => buffer && bytes(key).every((byte, at) => byte === new Uint8Array(buffer)[at]);

async function tellServer(person, key) {
  const { pushManager } = await navigator.serviceWorker.ready;
  let subscription = await pushManager.getSubscription();
  if (subscription && !isSame(subscription.options.applicationServerKey, key)) {
    await subscription.unsubscribe(); // the server has a new key
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  const { endpoint, keys } = subscription.toJSON();
  await post("/me/push", { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, key, silent: takesSilent(), language: language() });
  localStorage.setItem(KEPT, person);
}

/** Ask the person and begin; false when they, or the browser, would rather not. */
export async function begin() {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const [{ person }, { key }] = await Promise.all([get("/me"), get("/me/push")]);
  await tellServer(person.id, key);
  return true;
}

export async function end() {
  localStorage.removeItem(KEPT);
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.getSubscription();
  if (!subscription) return;
  await post("/me/push/end", { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}

/** Once a visit: a log-in, a lapsed session or a new key of the server may have ended it there. And what this page shows
 * need not be told any more. */
export async function refresh() {
  if (whose() === null) return;
  const registration = await navigator.serviceWorker.ready;
  for (const notice of await registration.getNotifications()) if (notice.data?.url === location.pathname) notice.close();
  if (sessionStorage.getItem(KEPT)) return;
  const { person } = await get("/me");
  if (!person || !isOn(person.id)) return; // somebody else's browser now: they were not asked
  await tellServer(person.id, (await get("/me/push")).key);
  sessionStorage.setItem(KEPT, "told");
}

/** After logging in: the same person, under another name for the server, if it told whoever was here `before`. */
export function moved(before) {
  if (before && localStorage.getItem(KEPT) === before) localStorage.setItem(KEPT, "moved");
  sessionStorage.removeItem(KEPT);
}

/** After logging out: this browser is nobody's. */
export const forget = () => localStorage.removeItem(KEPT);
