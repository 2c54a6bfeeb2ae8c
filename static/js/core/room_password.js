// The password of a locked table: kept in this tab by whoever typed it, and in this browser by the host who chose it (the
// server has only a hash, and nobody else could tell friends the word). Sent with everything that is asked of the table.

const HOSTED = "cartagena.passwords"; // {game: word} of the tables this browser opened
const MOST = 20;

const hosted = () => {
  try {
    return JSON.parse(localStorage.getItem(HOSTED) ?? "{}");
  } catch {
    return {};
  }
};

/** The word of this table, if this tab or this browser knows it. */
export function keptPassword(game) {
  try {
    return sessionStorage.getItem(`password.${game}`) ?? hosted()[game];
  } catch {
    return undefined;
  }
}

export function keepPassword(game, word) {
  try {
    sessionStorage.setItem(`password.${game}`, word);
  } catch {
    // then it is asked for again
  }
}

/** The host's own word, for as long as this browser has fewer than twenty newer ones. */
export function keepAsHost(game, word) {
  keepPassword(game, word);
  const { [game]: _, ...others } = hosted();
  try {
    localStorage.setItem(HOSTED, JSON.stringify(Object.fromEntries([...Object.entries(others), [game, word]].slice(-MOST))));
  } catch {
    // private windows may refuse; the tab still knows it
  }
}

/** A header holds bytes, a word may hold any letter: it goes as UTF-8. */
export const passwordHeader = (word) =>
  word ? { "X-Room-Password": String.fromCharCode(...new TextEncoder().encode(word)) } : {};
