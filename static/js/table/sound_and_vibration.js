// Vibration and sound when the player's turn begins. Sound is off by default and offered once per browser.

/** @import {StateStore} from "../core/types.d.ts" */

import { pref, setPref } from "./preferences.js";
import { hasChoices } from "./store.js";

const isTouch = () => matchMedia("(pointer: coarse)").matches;

/** Whether this device can vibrate. */
export const canVibrate = () => "vibrate" in navigator && isTouch();

/** Vibrate for the player's turn if the page is hidden or on a touch device, unless reduced motion is preferred. */
export function vibrateForTurn() {
  if (!pref("vibration") || !("vibrate" in navigator)) return;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  if (document.visibilityState !== "hidden" && !isTouch()) return;
  // Browsers refuse to vibrate before the first tap.
  if (navigator.userActivation?.hasBeenActive === false) return;
  navigator.vibrate([70, 50, 70]);
}

/**
 * withSound(({playSound, playSoundOf}) => …): calls back with sound.js if sound is on. It is not loaded otherwise.
 * @param {(module: typeof import("./sound.js")) => void} call
 */
export function withSound(call) {
  if (pref("sound")) import("./sound.js").then(call);
}

/**
 * Offer sound once, when a turn begins that the player has waited for. The offer disappears with that turn.
 * @param {StateStore} store
 */
export function offerSound(store) {
  store.subscribe(["choices"], (state, before) => {
    if (
      // On a phone the question would cover whose turn it is. The table's menu has the switch.
      matchMedia("(min-width: 62rem)").matches &&
      hasChoices(state) &&
      !hasChoices(before) &&
      before.view &&
      !pref("sound") &&
      !pref("isSoundOffered")
    ) {
      setPref("isSoundOffered", true);
      store.set({ isSoundOffered: true });
    } else if (!hasChoices(state) && state.isSoundOffered) store.set({ isSoundOffered: false });
  });
}

/**
 * @param {StateStore} store
 * @param {boolean} isWanted
 */
export function answerSoundOffer(store, isWanted) {
  setPref("sound", isWanted);
  store.set({ isSoundOffered: false });
  withSound(({ playSound }) => playSound("turn"));
}
