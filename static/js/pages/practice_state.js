// What the practice page says while no puzzle is due.

import { formatRelativeTime, t, tn } from "../core/i18n.js";

/**
 * Return a sentence, and another about what comes next or "".
 * @param {{ waiting: number, done: number, searching: number, searched: number, next_at: number | null, now?: number }} overview
 * @returns {[string, string]}
 */
export function describePractice({ waiting, done, searching, searched, next_at, now = Date.now() }) {
  if (searching)
    return [
      tn("{n} of your games is being searched.", "{n} of your games are being searched.", searching),
      "",
    ];
  const standing = waiting || done ? t("Nothing to practise now.") : t("No mistakes to practise yet.");
  if (next_at)
    return [
      standing,
      t("The next puzzle comes {when}.", { when: formatRelativeTime((next_at - now) / 1000) }),
    ];
  if (searched && !done)
    return [
      standing,
      tn(
        "{n} of your games was searched. It had no turn with a clearly better one.",
        "{n} of your games were searched. They had no turn with a clearly better one.",
        searched,
      ),
    ];
  return [standing, t("Finish a game, then come back: turns that cost you much turn into puzzles.")];
}
