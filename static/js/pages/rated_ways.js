// "Rated" beside "Play with friends" and "Play with strangers". The choice for strangers is remembered in this browser.

import { find } from "../core/dom.js";

const KEY = "cartagena.ratedQuickPlay";

/**
 * RatedWays(root, onChange) -> {isGuest, isQuickRated(), friendsFields(), quickFields()}. Guests have no choice.
 * @param {HTMLElement} root
 * @param {() => void} onChange Called when the choice for strangers changes.
 */
export function RatedWays(root, onChange) {
  /** @type {HTMLInputElement | null} */
  const friends = find("[data-rated-friends]", root);
  /** @type {HTMLInputElement | null} */
  const quick = find("[data-rated-quick]", root);
  if (quick) {
    restore(quick);
    quick.addEventListener("change", () => {
      remember(quick);
      onChange();
    });
  }
  /** @param {HTMLInputElement | null} field */
  const fieldsOf = (field) => (field?.checked ? { rated: true } : {});
  return {
    isGuest: quick === null,
    isQuickRated: () => Boolean(quick?.checked),
    friendsFields: () => fieldsOf(friends),
    quickFields: () => fieldsOf(quick),
  };
}

/** @param {HTMLInputElement} field */
function restore(field) {
  try {
    field.checked = localStorage.getItem(KEY) === "on";
  } catch {
    // Without storage the choice is not remembered.
  }
}

/** @param {HTMLInputElement} field */
function remember(field) {
  try {
    localStorage.setItem(KEY, field.checked ? "on" : "off");
  } catch {
    // Without storage the choice is not remembered.
  }
}
