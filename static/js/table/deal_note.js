// The note above a running deal of the day, which says whether this try counts.

/** @import {DealTry, StateStore, Table} from "../core/types.d.ts" */

import { get } from "../core/api.js";
import { el, find } from "../core/dom.js";
import { t } from "../core/i18n.js";

/**
 * Show the note above the log until the game is over. `now` is the server's time.
 * @param {{ game: string, root: HTMLElement, table: Table, store: StateStore, now: () => number }} parts
 */
export async function showDealNote({ game, root, table, store, now }) {
  if (table.status !== "running") return;

  const { tries, ends_at: end } = await get(`/deal/${encodeURIComponent(String(table.deal))}`).catch(() => ({
    tries: [],
  }));
  const ownTry = tries.find((/** @type {DealTry} */ attempt) => attempt.game === game);
  if (!ownTry || root.querySelector('[data-key="deal"]')) return;
  const isForStreak = tries.every((/** @type {DealTry} */ { how }) => how === null || how === "given_up");
  const counts = el("span");
  const words = el("p", {}, counts, " ", el("a", { href: `/deal/${table.deal}` }, t("The deal of the day")));
  const banner = el("div", { class: "banner", "data-key": "deal" }, words);
  let timer = 0;
  function update() {
    clearTimeout(timer);
    if (store.state.table?.status !== "running") return banner.remove();
    const left = end - now();
    counts.textContent =
      ownTry.n > 1
        ? isForStreak
          ? t("This is not your first attempt, so it counts only for your streak.")
          : t("This is not your first attempt, so it does not count.")
        : left > 0
          ? t("This attempt counts if you finish it by midnight UTC.")
          : t(
              "The day of this deal is over. Finishing it keeps your streak, but the result isn't in the lists.",
            );
    if (left > 0) timer = setTimeout(update, left);
  }
  store.subscribe(["table"], update);
  find(".notes", root).append(banner);
  update();
}
