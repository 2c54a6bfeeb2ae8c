// The replay of a frame: asked for without cookies, so that it is a stranger's whoever looks.

import { t } from "../core/i18n.js";
import { viewsOf } from "../core/fold.js";
import { closedDoor } from "./embed_live.js";

export class NotShown extends Error {
  name = "NotShown";
}

async function ask(address, body) {
  const given = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(address, { credentials: "omit", ...given });
  } catch {
    throw new NotShown(t("The server cannot be reached. Check your connection and try again."));
  }
  if (answer.ok) return answer.json();
  if (answer.status === 429) throw new NotShown(t("Too many requests came from you or your network. Wait a minute, then go on."));
  if (answer.status === 403) throw new NotShown(closedDoor());
  throw new NotShown(t("There is no replay of this table."));
}

/** {table, views, steps, isRunning}: a finished game with all hands open, a running one as spectators have seen it. */
export async function loadReplay(room) {
  const game = `/api/v1/games/${encodeURIComponent(room)}`;
  const { table } = await ask(game);
  if (table.status === "open" || table.status === "closed") throw new NotShown(t("There is no replay of this table."));
  const isRunning = table.status === "running";
  const replay = isRunning ? await ask(`/g/${encodeURIComponent(room)}/seen`) : await ask("/replay/steps", { record: await ask(`${game}/record`), eyes: "all" });
  return { table, views: viewsOf(replay, null), steps: replay.steps, isRunning };
}
