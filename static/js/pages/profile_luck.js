// Luck and choices apart, for the latest rated games on a profile: the mean of their reviews. Reviews take the server
// seconds each, so they are asked for one after the other, and only when the reader wants to know.

/** @import {PlayedGame, Review} from "../core/types.d.ts" */

import { get, RefusedError } from "../core/api.js";
import { el, setChildren } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { describePoints, describeSignedPoints } from "../core/percentage_points.js";

const MAX_GAMES = 5;

/**
 * Return the games to look at, with the person's seat.
 * @param {PlayedGame[]} games
 */
const gamesOf = (games) =>
  games
    .filter(({ rated, status }) => rated && status === "finished")
    .flatMap(({ id, my_seat: seat }) => (typeof seat === "number" ? [{ id, seat }] : []))
    .slice(0, MAX_GAMES);

/**
 * Read the reviews that can be had. The server refuses while it has too many to make.
 * @param {{ id: string, seat: number }[]} games
 * @param {(n: number) => void} onProgress
 */
async function readReviews(games, onProgress) {
  /** @type {{ luck: number, loss: number }[]} */
  const found = [];
  for (const [n, { id, seat }] of games.entries()) {
    onProgress(n + 1);
    try {
      /** @type {Review} */
      const review = await get(`/games/${encodeURIComponent(id)}/review`);
      found.push({ luck: review.luck[seat], loss: review.loss[seat] });
    } catch (problem) {
      // A game that may not be reviewed is left out.
      if (!(problem instanceof RefusedError)) throw problem;
    }
  }
  return found;
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * LuckReport(games): a button, and what it finds; null without rated games.
 * @param {PlayedGame[]} games
 */
export function LuckReport(games) {
  const chosen = gamesOf(games);
  if (!chosen.length) return null;
  const answer = el("div", { role: "status" });
  const button = el(
    "button.button.button-small",
    { type: "button", onclick: look },
    tn("Review the last rated game", "Review the last {n} rated games", chosen.length),
  );

  async function look() {
    button.disabled = true;
    const found = await readReviews(chosen, (n) =>
      setChildren(
        answer,
        el("p.field-said", {}, t("Reviewing game {n} of {all}…", { n, all: chosen.length })),
      ),
    );
    button.disabled = false;
    if (!found.length) {
      setChildren(
        answer,
        el("p.field-said", {}, t("No review can be made right now. Try again in a minute.")),
      );
      return;
    }
    button.hidden = true;
    setChildren(
      answer,
      el(
        "dl.profile-facts",
        {},
        el(
          "div",
          {},
          el("dt", {}, t("Luck per game")),
          el("dd", {}, describeSignedPoints(mean(found.map(({ luck }) => luck)))),
        ),
        el(
          "div",
          {},
          el("dt", {}, t("Given away per game")),
          el("dd", {}, describePoints(mean(found.map(({ loss }) => loss)))),
        ),
      ),
      el(
        "p.field-hint",
        {},
        tn("From {n} rated game.", "From the last {n} rated games.", found.length),
        " ",
        t(
          "Points are percentage points of the chance to win: what lucky or unlucky cards changed, and what better turns would have added.",
        ),
      ),
    );
  }

  return el("section.rating-pool", {}, el("h3", {}, t("Luck and choices")), button, answer);
}
