// Passwords of locked tables. A typed password is stored for this tab. The host's browser stores the password it chose,
// to show it to the host: the server has only a hash. Every request for the table carries it.

// Holds {game: password} of the tables that this browser opened.
const HOSTED_STORAGE_KEY = "cartagena.passwords";
const MAX_HOSTED = 20;

const readHosted = () => {
  try {
    return JSON.parse(localStorage.getItem(HOSTED_STORAGE_KEY) ?? "{}");
  } catch {
    return {};
  }
};

/**
 * Return the stored password of a table, if any.
 * @param {string} game
 * @returns {string | undefined}
 */
export function storedPassword(game) {
  try {
    return sessionStorage.getItem(`password.${game}`) ?? readHosted()[game];
  } catch {
    return undefined;
  }
}

/**
 * @param {string} game
 * @param {string} password
 */
export function storePassword(game, password) {
  try {
    sessionStorage.setItem(`password.${game}`, password);
  } catch {
    // Without storage the password is asked for again.
  }
}

/**
 * Store the password of a table that this browser opened. Only the latest MAX_HOSTED are kept.
 * @param {string} game
 * @param {string} password
 */
export function storeHostPassword(game, password) {
  storePassword(game, password);
  const { [game]: _, ...others } = readHosted();
  try {
    localStorage.setItem(
      HOSTED_STORAGE_KEY,
      JSON.stringify(Object.fromEntries([...Object.entries(others), [game, password]].slice(-MAX_HOSTED))),
    );
  } catch {
    // A private window may refuse; the tab has it anyway.
  }
}

/**
 * Return the request header for a password, encoded as UTF-8 bytes.
 * @param {string | null | undefined} password
 * @returns {Record<string, string>}
 */
export const passwordHeader = (password) =>
  password ? { "X-Room-Password": String.fromCharCode(...new TextEncoder().encode(password)) } : {};
