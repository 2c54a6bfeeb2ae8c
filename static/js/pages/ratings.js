// The leaderboards: one kind of game at a time, with the reader's own place or the reason why there is none.

/** @import {Leader, Leaderboard, Person, PlayerRatings, PoolRating, RatingPool} from "../core/types.d.ts" */

import { accountPath } from "../core/account_link.js";
import { get, RefusedError } from "../core/api.js";
import { el, find, setChildren } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { poolName, ratingText, ratingWords } from "../core/rating_text.js";

const DAY_MS = 86_400_000;

const page = find("[data-leaders]");
const pool = /** @type {RatingPool} */ (page.dataset.pool);
const ownNotice = find("[data-own]", page);
/** @type {Leader[]} */
let shown = [];
/** @type {Person | null} */
let person = null;
/** @type {PoolRating | undefined} */
let own;

/** @param {Error} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  const place = find("[data-problem]", page);
  place.textContent = problem.message;
  place.hidden = false;
}

/** @param {Leader} leader */
function Row(leader) {
  const isMe = leader.person === person?.id;
  return el(
    isMe ? "tr.is-me" : "tr",
    {},
    el("td", {}, String(leader.place)),
    el(
      "th",
      { scope: "row" },
      el("a", { href: `/players/${encodeURIComponent(leader.person)}` }, leader.name),
      isMe ? el("small", {}, ` (${t("you")})`) : null,
    ),
    el(
      "td",
      {},
      el("span", { "aria-hidden": "true" }, ratingText(leader)),
      el("span.hidden", {}, ratingWords(leader)),
    ),
    el("td", {}, String(leader.games)),
  );
}

/**
 * Say why the reader is not on this leaderboard.
 * @param {Leaderboard["bounds"]} bounds
 */
function absenceReason({ games, deviation, days }) {
  if (!own) return t("You have not played a rated game of this kind yet.");
  if (own.deviation > deviation)
    return t("Your rating is still too uncertain to be listed (± {deviation}). It settles with every game.", {
      deviation: own.deviation,
    });
  if (own.games < games)
    return tn(
      "It takes {n} more rated game of this kind to be listed.",
      "It takes {n} more rated games of this kind to be listed.",
      games - own.games,
    );
  if (own.last_at < Date.now() - days * DAY_MS)
    return tn(
      "You are not listed because you have not played a rated game of this kind for {n} day.",
      "You are not listed because you have not played a rated game of this kind for {n} days.",
      days,
    );
  return t("You are not listed at the moment.");
}

/**
 * Show the reader's rating above the table, unless it is in the table.
 * @param {Leaderboard["bounds"]} bounds
 */
function showOwn(bounds) {
  ownNotice.hidden = shown.some((leader) => leader.person === person?.id);
  if (!person?.is_account) {
    setChildren(
      ownNotice,
      t("For a rated game you need an account."),
      " ",
      el("a", { href: accountPath() }, t("Log in or register")),
    );
    return;
  }
  const words = own ? [el("b", {}, t("You: {rating}", { rating: ratingText(own) })), " · "] : [];
  const place = own?.place ? t("Your place is {n}.", { n: own.place }) : absenceReason(bounds);
  setChildren(ownNotice, ...words, place);
}

/** @param {Leaderboard} found */
function show({ rows, more, bounds }) {
  shown = [...shown, ...rows];
  find("[data-bounds]", page).textContent = t(
    "Listed are accounts with at least {games} rated games, a rating certain to ± {deviation}, and a rated game in the last {days} days.",
    bounds,
  );
  setChildren(find("[data-rows]", page), ...shown.map(Row));
  find("[data-table]", page).hidden = !shown.length;
  find("[data-empty]", page).hidden = shown.length > 0;
  find("[data-more]", page).hidden = !more;
  showOwn(bounds);
}

/** Tell a reader who hides ratings where to change that. */
function showHidden() {
  find("[data-board]", page).hidden = true;
  ownNotice.hidden = false;
  setChildren(
    ownNotice,
    t("You have hidden ratings."),
    " ",
    el("a", { href: "/account#ratings" }, t("Change this in your account")),
  );
}

const readPage = () => get(`/ratings/${pool}?offset=${shown.length}`);

async function load() {
  const [board, me] = await Promise.all([readPage(), get("/me")]);
  if (board.hidden) return showHidden();
  person = me.person;
  if (person?.is_account) {
    /** @type {PlayerRatings} */
    const { ratings } = await get(`/players/${encodeURIComponent(person.id)}/ratings`);
    own = ratings.find((rating) => rating.pool === pool);
  }
  show(board);
}

document.title = `${poolName(pool)} · ${document.title}`;
find("[data-more]", page).addEventListener("click", () => readPage().then(show).catch(fail));
// Everything appears at once, so that nothing moves.
load()
  .catch(fail)
  .finally(() => page.removeAttribute("data-loading"));
