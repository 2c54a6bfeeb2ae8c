// The player's preferences at the table, stored in this browser.

const STORAGE_KEY = "cartagena.table";
/** @typedef {typeof defaults} Preferences */

const defaults = {
  sound: false,
  isSoundOffered: false,
  vibration: true,
  countdown: 0,
  tab: "log",
  pace: "normal",
  shortcuts: true,
  /** Names of the lessons (lessons.js) that were shown. */
  lessons: /** @type {string[]} */ ([]),
  /** The last chat line that was read here, by table and seat (log_and_chat.js). */
  chatRead: /** @type {[string, number][]} */ ([]),
  /** Whether hints appear by themselves in the first games against bots (first_hints.js). */
  hints: true,
  /** The first games against bots on this browser. */
  firstGames: /** @type {string[]} */ ([]),
  /** Tables with the hand layout (hand_layout.js). */
  hands: /** @type {string[]} */ ([]),
};

/**
 * Return the stored value of a key; null if there is none.
 * @param {string} key
 */
export function readStored(key) {
  try {
    return JSON.parse(String(localStorage.getItem(key)));
  } catch {
    return null;
  }
}

/**
 * Store a value under a key; undefined removes it.
 * @param {string} key
 * @param {unknown} value
 */
export function writeStored(key, value) {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the value is then lost when the page closes.
  }
}

/** @type {Preferences} */
const current = { ...defaults, ...readStored(STORAGE_KEY) };

/**
 * @template {keyof Preferences} K
 * @param {K} name
 * @returns {Preferences[K]}
 */
export const pref = (name) => current[name];

/**
 * Change a preference. `change` receives the stored value: another tab may have changed it since this page was loaded.
 * @template {keyof Preferences} K
 * @param {K} name
 * @param {(value: Preferences[K]) => Preferences[K]} change
 */
export function changePref(name, change) {
  Object.assign(current, readStored(STORAGE_KEY));
  current[name] = change(current[name]);
  writeStored(STORAGE_KEY, current);
}

/**
 * @template {keyof Preferences} K
 * @param {K} name
 * @param {Preferences[K]} value
 */
export const setPref = (name, value) => changePref(name, () => value);
