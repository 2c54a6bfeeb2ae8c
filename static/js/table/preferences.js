// What a person prefers at the table, kept in this browser. A browser without storage just forgets.

const KEY = "cartagena.table";
const defaults = { sound: false, isSoundOffered: false, vibration: true, countdown: 0, tab: "log", pace: "normal", shortcuts: true, hands: [] };

/** What this browser keeps under a key; null when it keeps nothing. */
export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

/** Keep a value under a key; undefined: nothing any more. */
export function keep(key, value) {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // private windows may refuse; the choice then lasts as long as the page
  }
}

const now = { ...defaults, ...kept(KEY) };

export const pref = (name) => now[name];

export function setPref(name, value) {
  now[name] = value;
  keep(KEY, now);
}
