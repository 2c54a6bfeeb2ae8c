// What a person prefers at the table, kept in this browser. A browser without storage just forgets.

const KEY = "cartagena.table";
const defaults = { sound: false, isSoundOffered: false, vibration: true, countdown: 0, tab: "log", pace: "normal", shortcuts: true };

function read() {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...defaults };
  }
}

const now = read();

export const pref = (name) => now[name];

export function setPref(name, value) {
  now[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // private windows may refuse; the choice then lasts as long as the page
  }
}
