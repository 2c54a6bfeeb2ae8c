// One's turn, for those who look away: a short vibration, and sound, which is offered once in a browser's life.

import { pref, setPref } from "./preferences.js";
import { isMine } from "./store.js";

const isTouch = () => matchMedia("(pointer: coarse)").matches;

/** Whether this device could vibrate: the switch for it is shown only then. */
export const canVibrate = () => "vibrate" in navigator && isTouch();

/** One's turn has come: felt where nobody looks or where a hand holds the device; not by those who want it still. */
export function vibrate() {
  if (!pref("vibration") || !("vibrate" in navigator)) return;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  if (document.visibilityState !== "hidden" && !isTouch()) return;
  if (navigator.userActivation?.hasBeenActive === false) return; // a browser refuses it before the first tap
  navigator.vibrate([70, 50, 70]);
}

/** withSound(({sound, soundOf}) => …): for those who want to hear something, and loaded by them alone. */
export function withSound(call) {
  if (pref("sound")) import("./sound.js").then(call);
}

/** When a turn comes that one has waited for, once: shall it be heard? It goes with that turn. */
export function offerSound(store) {
  store.subscribe(["choices"], (state, before) => {
    if (isMine(state) && !isMine(before) && before.view && !pref("sound") && !pref("isSoundOffered")) {
      setPref("isSoundOffered", true);
      store.set({ isSoundOffered: true });
    } else if (!isMine(state) && state.isSoundOffered) store.set({ isSoundOffered: false });
  });
}
