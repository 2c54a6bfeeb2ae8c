// At a table with the deal of the day: a line that says so, and whether this try is the one that counts.
import { get } from "../core/api.js";
import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";

/** dealNote({game, root, table}): above the board. */
export async function dealNote({ game, root, table }) {
  const { tries, ends_at: end } = await get(`/deal/${encodeURIComponent(table.deal)}`).catch(() => ({ tries: [] }));
  const mine = tries.find((each) => each.game === game);
  if (!mine || root.querySelector('[data-key="deal"]')) return;
  const counts = mine.n > 1 ? t("not the first try: it does not count") : Date.now() < end ? t("this try counts if it ends by midnight UTC") : t("its day is over");
  const words = el("p", {}, el("a", { href: `/deal/${table.deal}` }, t("The deal of the day")), `: ${counts}`);
  root.querySelector(".banners").after(el("div", { class: "banners" }, el("div", { class: "banner", "data-key": "deal" }, words)));
}
