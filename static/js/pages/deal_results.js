// The results of a day: how they are distributed, how one's own compares, and par.

/** @import {Deal, DealDistribution, DealPar, DealResults, DealTry} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { formatPercent, language, t, tn } from "../core/i18n.js";
import { levelName } from "../core/names.js";

// With more different numbers of turns, several share a bar.
const MAX_BARS = 12;

/**
 * Return the words of the play button, and what the attempt counts for. A day whose first attempt was resigned can still
 * count for the streak. After the day, only an unfinished attempt can go on.
 * @param {DealTry[]} tries
 * @param {boolean} isDayOver
 */
export function playButtonTexts(tries, isDayOver) {
  const last = tries.find(({ is_over: isOver }) => !isOver) ?? tries.at(-1);
  const isForStreak = tries.every(({ how }) => how === null || how === "given_up");
  if (!last) return [t("Play"), t("Your first attempt counts.")];
  if (last.is_over)
    return [
      t("Play again"),
      isForStreak
        ? t("You know this deal now, so another attempt counts only for your streak.")
        : t("You know this deal now, so another attempt does not count."),
    ];
  if (last.n === 1)
    return [
      t("Continue"),
      isDayOver
        ? t(
            "The day of this deal is over. Finishing it keeps your streak, but the result isn't in the lists.",
          )
        : t("This attempt counts."),
    ];
  return [
    t("Continue"),
    isForStreak
      ? t("This is not your first attempt, so it counts only for your streak.")
      : t("This is not your first attempt, so it does not count."),
  ];
}

/** @typedef {{ label: string, count: number, isMine: boolean, isPar: boolean }} Bar */

/** @param {{ how: string | null, turns: number }} result */
const turnsOfWin = ({ how, turns }) => (how === "won" ? turns : null);

/**
 * Return the bars of the wins, from the fewest turns to the most, without gaps.
 * @param {DealDistribution["won"]} won
 * @param {number | null} mine
 * @param {number | null} par
 * @returns {Bar[]}
 */
function winBars(won, mine, par) {
  const known = [...won.map(([turns]) => turns), ...(par === null ? [] : [par])];
  if (!known.length) return [];
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const width = Math.ceil((last - first + 1) / MAX_BARS);
  const bars = [];
  for (let low = first; low <= last; low += width) {
    const high = low + width - 1;
    /** @param {number | null} turns */
    const isHere = (turns) => turns !== null && turns >= low && turns <= high;
    bars.push({
      label: width === 1 ? tn("{n} turn", "{n} turns", low) : t("{low} to {high} turns", { low, high }),
      count: won.reduce((sum, [turns, count]) => sum + (isHere(turns) ? count : 0), 0),
      isMine: isHere(mine),
      isPar: isHere(par),
    });
  }
  return bars;
}

/**
 * Create the histogram, a table with a bar in each row.
 * @param {DealResults} results
 * @param {DealTry | undefined} mine
 */
export function Histogram({ distribution: { won, beaten, given_up: givenUp }, par }, mine) {
  const own = mine?.counts ? mine : null;
  /** @type {Bar[]} */
  const bars = [
    ...winBars(won, own && turnsOfWin(own), par && turnsOfWin(par)),
    {
      label: t("A bot was faster"),
      count: beaten,
      isMine: own?.how === "beaten",
      isPar: false,
    },
    { label: t("Resigned"), count: givenUp, isMine: own?.how === "given_up", isPar: false },
  ];
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const rows = bars.map(({ label, count, isMine, isPar }) => {
    const bar = el("i", { "aria-hidden": "true" });
    bar.style.setProperty("--share", String(count / highest));
    return el(
      isMine ? "tr.is-me" : "tr",
      {},
      el("th", { scope: "row" }, label),
      el("td", {}, el("span.deal-column", {}, bar)),
      el("td", {}, String(count)),
      el("td", {}, [isMine && t("You"), isPar && t("Par")].filter(Boolean).join(" · ")),
    );
  });
  return el(
    "table.deal-histogram",
    {},
    el("caption.hidden", {}, t("How many players had each result")),
    el("tbody", {}, ...rows),
  );
}

/**
 * Say how one's own result compares with the others'; "" if it does not count, if the only one has resigned, or if all
 * others were better.
 * @param {DealResults["standing"]} standing
 * @param {Pick<DealTry, "how"> | undefined} mine
 */
export function standingText(standing, mine) {
  if (!standing) return "";
  const { others, worse, equal } = standing;
  if (!others) return mine?.how === "given_up" ? "" : t("You're the first here to finish this deal.");
  if (equal === others) return t("Everyone else here has the same result.");
  // Rounded down: 100 % is better than everyone.
  const share = Math.floor((100 * worse) / others) / 100;
  if (!share)
    return equal
      ? tn("{n} other player has the same result.", "{n} other players have the same result.", equal)
      : "";
  const text = t("Better than {percent} of the other players here.", { percent: formatPercent(share) });
  return equal
    ? `${text} ${tn("{n} of them has the same result.", "{n} of them have the same result.", equal)}`
    : text;
}

/** @param {DealPar} par */
function parText({ level, how, turns }) {
  const bot = levelName(level);
  if (how === "won")
    return tn(
      "Par is {n} turn: that's what a bot ({bot}) needed in your seat, against the same bots.",
      "Par is {n} turns: that's what a bot ({bot}) needed in your seat, against the same bots.",
      turns,
      { bot },
    );
  return how === "beaten"
    ? t("There's no par: a bot ({bot}) in your seat was slower than the others.", { bot })
    : "";
}

/**
 * Compare a win with par; "" if there is nothing to compare.
 * @param {DealPar} par
 * @param {DealTry} mine
 */
function againstParText(par, mine) {
  if (mine.how !== "won") return "";
  if (par.how !== "won") return par.how === "beaten" ? t("You won where it lost.") : "";
  const less = par.turns - mine.turns;
  if (less === 0) return t("You made par.");
  return less > 0
    ? tn("You were {n} turn faster.", "You were {n} turns faster.", less)
    : tn("You were {n} turn slower.", "You were {n} turns slower.", -less);
}

/**
 * Describe par, and one's own result beside it.
 * @param {DealResults["par"]} par
 * @param {DealTry | undefined} mine
 * @param {Deal} deal
 */
export function describePar(par, mine, { is_over: isOver }) {
  if (!par) return isOver ? "" : t("Par isn't known yet: a bot is still playing this deal.");
  return [parText(par), mine ? againstParText(par, mine) : ""].filter(Boolean).join(" ");
}

/**
 * Describe a person's results over all days as [name, value] pairs.
 * @param {Deal["statistics"]} statistics
 * @returns {[string, string][]}
 */
export function statisticsFacts({ played, won, best_turns: best, average_turns: average }) {
  if (!played) return [];
  /** @type {[string, string][]} */
  const facts = [
    [t("Deals played"), String(played)],
    [t("Won"), `${won} (${formatPercent(won / played)})`],
  ];
  if (best !== null) facts.push([t("Fewest turns"), String(best)]);
  if (average !== null) facts.push([t("Turns on average"), average.toLocaleString(language())]);
  return facts;
}
