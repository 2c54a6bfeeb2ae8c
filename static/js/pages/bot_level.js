// The level of the player's last game against bots, remembered in this browser.

const KEY = "cartagena.botLevel";

/**
 * Select the remembered level.
 * @param {HTMLSelectElement} field
 */
export function restoreLevel(field) {
  try {
    const level = localStorage.getItem(KEY);
    if ([...field.options].some(({ value }) => value === level)) field.value = String(level);
  } catch {
    // Without storage the level is not remembered.
  }
}

/** @param {HTMLSelectElement} field */
export function rememberLevel(field) {
  try {
    localStorage.setItem(KEY, field.value);
  } catch {
    // Without storage the level is not remembered.
  }
}
