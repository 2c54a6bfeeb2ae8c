// The note above a deal of the day, which says whether this try counts.

/** @import {Table} from "../core/types.d.ts" */

import { get } from "../core/api.js";
import { el, find } from "../core/dom.js";
import { t } from "../core/i18n.js";

/**
 * Show the note above the log.
 * @param {{ game: string, root: HTMLElement, table: Table }} parts
 */
export async function showDealNote({ game, root, table }) {
  const { tries, ends_at: end } = await get(`/deal/${encodeURIComponent(String(table.deal))}`).catch(() => ({
    tries: [],
  }));
  const ownTry = tries.find((/** @type {{ game: string, n: number }} */ attempt) => attempt.game === game);
  if (!ownTry || root.querySelector('[data-key="deal"]')) return;
  const counts =
    ownTry.n > 1
      ? t("this is not your first attempt, so it does not count")
      : Date.now() < end
        ? t("this attempt counts if you finish it by midnight UTC")
        : t("its day is over");
  const words = el(
    "p",
    {},
    el("a", { href: `/deal/${table.deal}` }, t("The deal of the day")),
    `: ${counts}`,
  );
  find(".notes", root).append(el("div", { class: "banner", "data-key": "deal" }, words));
}
