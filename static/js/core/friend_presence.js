// When a friend is or was there, as far as they show it.

import { formatRelativeTime, t } from "./i18n.js";

/**
 * Return "online", "last seen 5 minutes ago", or "" for a friend who shows neither.
 * @param {{ online: boolean | null, seen_at: number | null }} friend
 */
export function presenceText({ online, seen_at: seenAt }) {
  if (online) return t("online");
  if (seenAt === null) return "";
  // In steps of a minute, and never in the future: the clocks of server and browser differ.
  const minutes = Math.max(1, Math.round((Date.now() - seenAt) / 60_000));
  return t("last seen {when}", { when: formatRelativeTime(-60 * minutes) });
}

/**
 * Return the friends in the order of a list: online first, then by the time they were last seen, then as given.
 * @template {{ online: boolean | null, seen_at: number | null }} F
 * @param {F[]} friends
 */
export const sortByPresence = (friends) =>
  [...friends].sort(
    (one, other) =>
      Number(other.online ?? false) - Number(one.online ?? false) ||
      (other.seen_at ?? 0) - (one.seen_at ?? 0),
  );
