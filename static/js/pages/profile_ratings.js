// The ratings on a profile: per pool the figures and their history, the bot level, and what was luck.

/** @import {PlayedGame, PlayerRatings, PoolLevel, PoolRating, RatingPool} from "../core/types.d.ts" */

import { get } from "../core/api.js";
import { el, find, setChildren } from "../core/dom.js";
import { N_, t, tn } from "../core/i18n.js";
import { levelName } from "../core/names.js";
import { poolName, ratingText, ratingWords } from "../core/rating_text.js";
import { LuckReport } from "./profile_luck.js";
import { RatingPlot } from "./rating_plot.js";

/** @type {Record<string, string>} */
const LEVEL_SENTENCES = {
  "cabin-boy": N_("Plays like a cabin boy against bots."),
  sailor: N_("Plays like a sailor against bots."),
  mate: N_("Plays like a mate against bots."),
  captain: N_("Plays like a captain against bots."),
  legend: N_("Plays like a legend against bots."),
};

/** @param {string} person */
const ratingsPath = (person) => `/players/${encodeURIComponent(person)}/ratings`;

/**
 * Create the figures of a pool.
 * @param {PoolRating} rating
 */
function Figures(rating) {
  const { pool, games, best, place } = rating;
  /** @type {[string, string | Node][]} */
  const facts = [
    [t("Rated games"), String(games)],
    [t("Best"), best === null ? "–" : String(best)],
    [t("Place"), place === null ? "–" : el("a", { href: `/ratings?pool=${pool}` }, String(place))],
  ];
  return [
    el(
      "p.rating-number",
      {},
      el("span", { "aria-hidden": "true" }, ratingText(rating)),
      el("span.hidden", {}, ratingWords(rating)),
    ),
    el(
      "dl.profile-facts",
      {},
      ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    ),
  ];
}

/**
 * Create the sentence about the bot level. Leave it out of a pool in which the person mostly plays rated games.
 * @param {PoolLevel | undefined} found
 * @param {PoolRating | undefined} rating
 */
function LevelText(found, rating) {
  if (!found || !(found.level in LEVEL_SENTENCES) || (rating && rating.games > found.games)) return null;
  const { level, lowest, highest, games } = found;
  const range =
    lowest === highest
      ? tn("From {n} game.", "From {n} games.", games)
      : tn(
          "From {n} game; the range is {lowest} to {highest}.",
          "From {n} games; the range is {lowest} to {highest}.",
          games,
          { lowest: levelName(lowest), highest: levelName(highest) },
        );
  return el("p.rating-level", {}, t(LEVEL_SENTENCES[level]), " ", el("small", {}, range));
}

/**
 * Create the part of a pool. Its plot follows when the history has been read.
 * @param {RatingPool} pool
 * @param {PlayerRatings} found
 */
function PoolPart(pool, { ratings, plays_like: levels }) {
  const rating = ratings.find((each) => each.pool === pool);
  const level = levels.find((each) => each.pool === pool);
  const words = LevelText(level, rating);
  if (!rating && !words) return null;
  const plot = rating && rating.games > 1 ? el("div.rating-plot-place", { "data-pool": pool }) : null;
  return el(
    "section.rating-pool",
    { "aria-label": poolName(pool) },
    el("h3", {}, poolName(pool)),
    ...(rating ? Figures(rating) : []),
    plot,
    words,
  );
}

/**
 * Draw the history of each pool that has a place for it.
 * @param {HTMLElement} root
 * @param {string} person
 */
function drawPlots(root, person) {
  const places = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-pool]")]);
  return Promise.all(
    places.map(async (place) => {
      const pool = /** @type {RatingPool} */ (place.dataset.pool);
      const { points } = await get(`${ratingsPath(person)}/${pool}/history`);
      const label = t("Rating after each game: {pool}", { pool: poolName(pool) });
      if (points.length > 1) setChildren(place, RatingPlot(points, place.clientWidth || 320, label));
    }),
  );
}

/**
 * Show the ratings of a person in the section `[data-ratings]`. Without any, only one's own profile says how to get one.
 * @param {HTMLElement} page
 * @param {string} person
 * @param {{ games: PlayedGame[], isOwn: boolean }} options
 */
export async function showRatings(page, person, { games, isOwn }) {
  const section = find("[data-ratings]", page);
  /** @type {PlayerRatings} */
  const found = await get(ratingsPath(person));
  if (found.hidden) return;
  const pools = /** @type {RatingPool[]} */ ([
    ...new Set([...found.ratings, ...found.plays_like].map(({ pool }) => pool)),
  ]);
  const parts = pools.map((pool) => PoolPart(pool, found)).filter((part) => part !== null);
  if (!parts.length && !isOwn) return;
  const place = find("[data-rating-pools]", section);
  section.hidden = false;
  find("[data-no-ratings]", section).hidden = parts.length > 0;
  setChildren(place, ...parts, LuckReport(games));
  await drawPlots(place, person);
}
