// Loads the replay of an embed without cookies, so that the viewer is always anonymous.

import { replayViews } from "../core/fold.js";
import { t } from "../core/i18n.js";
import { notAdmittedText } from "./embed_live.js";

class NotShownError extends Error {
  name = "NotShown";
}

/**
 * @param {string} address
 * @param {unknown} [body]
 */
async function request(address, body) {
  const init =
    body === undefined
      ? {}
      : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(address, { credentials: "omit", ...init });
  } catch {
    throw new NotShownError(t("The server cannot be reached. Check your connection and try again."));
  }
  if (answer.ok) return answer.json();
  if (answer.status === 429)
    throw new NotShownError(
      t("Too many requests came from you or your network. Wait a minute and try again."),
    );
  if (answer.status === 403) throw new NotShownError(notAdmittedText());
  throw new NotShownError(t("There is no replay of this table."));
}

/**
 * Load {table, views, steps, isRunning}: a finished game with open hands, a running one as spectators have seen it.
 * @param {string} room
 */
export async function loadReplay(room) {
  const game = `/api/v1/games/${encodeURIComponent(room)}`;
  const { table } = await request(game);
  if (table.status === "open" || table.status === "closed")
    throw new NotShownError(t("There is no replay of this table."));
  const isRunning = table.status === "running";
  const replay = isRunning
    ? await request(`/g/${encodeURIComponent(room)}/seen`)
    : await request("/replay/steps", { record: await request(`${game}/record`), eyes: "all" });
  return { table, views: replayViews(replay, null), steps: replay.steps, isRunning };
}
