// The deal of the day: its options and opponents, the player's result, the results of all, and a turn-by-turn comparison.

/** @import {Action, Comparison, Deal, DealEdition, DealResults, DealRow, DealTurn, DealTry} from "../core/types.d.ts" */

import { get, post, RefusedError } from "../core/api.js";
import { releaseButton } from "../core/create_once.js";
import { dateLocale } from "../core/date_locale.js";
import { el, find, findAll, setChildren } from "../core/dom.js";
import { formatList, t, tn } from "../core/i18n.js";
import { levelName, personName, presetName } from "../core/names.js";
import { toast } from "../core/toast.js";
import { describeResult, drawPicture, ShareCaption, SharePicture, shareText } from "./deal_picture.js";
import { describePar, Histogram, playButtonTexts, standingText, statisticsFacts } from "./deal_results.js";
import { showTurns } from "./deal_turns.js";
import { variantNames } from "./variant_names.js";

const page = find("[data-deal]");
/** @param {string} name */
const part = (name) => find(`[data-${name}]`, page);
const wantedDay = page.dataset.day;
const fullDate = new Intl.DateTimeFormat(dateLocale(), { dateStyle: "full", timeZone: "UTC" });
const shortDate = new Intl.DateTimeFormat(dateLocale(), { day: "numeric", month: "long", timeZone: "UTC" });
const timeOfDay = new Intl.DateTimeFormat(dateLocale(), { timeStyle: "short" });
const dateTime = new Intl.DateTimeFormat(dateLocale(), {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
const HOUR_MS = 3_600_000;
/** @type {Deal} */
let deal;
let listedCount = 0;

/** @param {string} day */
const startOfDay = (day) => new Date(`${day}T00:00:00Z`);
/**
 * @param {string} day
 * @param {number} days
 */
const shiftDay = (day, days) =>
  new Date(startOfDay(day).getTime() + days * 24 * HOUR_MS).toISOString().slice(0, 10);
/** @param {DealEdition} deal */
const describeEdition = (deal) => [presetName(deal.preset), ...variantNames(deal.variant)].join(", ");

/** @param {unknown} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  part("waiting").hidden = true;
  const isUnknownDay = problem.code === "not_found";
  part("problem").textContent = isUnknownDay ? t("There was no deal on this day.") : problem.message;
  if (isUnknownDay) setChildren(part("days"), el("a.button.button-small", { href: "/deal" }, t("Today")));
  part("problem").hidden = false;
}

/** @param {Deal} deal */
function timeLeftText({ ends_at: end, now, is_over: isOver }) {
  if (isOver)
    return t("This day is over. Its deal can no longer be played, and everything about it is shown.");
  const left = end - now;
  const time = timeOfDay.format(new Date(end));
  const long =
    left < HOUR_MS
      ? tn("{n} minute", "{n} minutes", Math.max(1, Math.round(left / 60_000)))
      : tn("{n} hour", "{n} hours", Math.round(left / HOUR_MS));
  return t(
    "The day ends at midnight UTC ({time} where you are). Time left: about {long}. An attempt counts if you finish it by then.",
    { time, long },
  );
}

/** @param {Deal} deal */
function showToday(deal) {
  const today = part("today");
  part("title").textContent = fullDate.format(startOfDay(deal.day));
  for (const note of findAll("[data-during]", page)) note.hidden = deal.is_over;
  for (const note of findAll("[data-after]", page)) note.hidden = !deal.is_over;
  part("facts").textContent = t("{edition}. Opponents: {bots}", {
    edition: describeEdition(deal),
    bots: formatList(deal.opponents.map(levelName)),
  });
  const isPlayable = !deal.is_over || unfinishedTry(deal) !== undefined;
  part("until").textContent = deal.is_over && isPlayable ? "" : timeLeftText(deal);
  const [words, counts] = playButtonTexts(deal.tries, deal.is_over);
  part("play").textContent = words;
  part("play").hidden = !isPlayable;
  part("counts").textContent = isPlayable ? counts : "";
  part("streak").textContent = streakText(deal);
  part("streak").hidden = !part("streak").textContent;
  const facts = statisticsFacts(deal.statistics);
  setChildren(
    part("statistics"),
    ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
  part("statistics").hidden = !facts.length;
  today.hidden = false;
}

/** @param {Deal} deal */
function streakText({ day, today, streak: { days, best, today: hasPlayed } }) {
  // Beside another day's deal, these words would seem to be about that deal.
  const isToday = day === today;
  const lines = [];
  if (isToday && hasPlayed) lines.push(t("Played today ✓"));
  if (days) lines.push(tn("{n} day in a row.", "{n} days in a row.", days));
  if (isToday && days && !hasPlayed) lines.push(t("Play today to keep it."));
  if (best > days)
    lines.push(tn("Your longest streak was {n} day.", "Your longest streak was {n} days.", best));
  return lines.join(" ");
}

/** @param {string} game */
const replayPath = (game) => `/g/${encodeURIComponent(game)}/replay`;

/** @param {Deal} deal */
function showMine(deal) {
  const over = deal.tries.filter(({ is_over: isOver }) => isOver);
  if (!over.length) return;
  const [attempt] = over;
  const day = shortDate.format(startOfDay(deal.day));
  const shared = {
    day,
    title: describeEdition(deal),
    attempt,
    address: `${location.origin}/deal/${deal.day}`,
  };
  const text = shareText(shared);
  part("result").textContent = attempt.is_late
    ? `${describeResult(attempt)} ${t("It ended after its day, so it is not in any list.")}`
    : describeResult(attempt);
  const image = SharePicture(shared);
  setChildren(part("share"), image, ShareCaption(text));
  offerSharing(image, shared, text);
  /** @type {HTMLAnchorElement} */ (part("replay")).href = replayPath(attempt.game);
  const later = over.slice(1);
  part("tries").hidden = !later.length;
  setChildren(
    part("later"),
    ...later.map((each) =>
      el("li", {}, describeResult(each), " ", el("a", { href: replayPath(each.game) }, t("Replay"))),
    ),
  );
  part("mine").hidden = false;
}

/**
 * Draw the picture, and let the player share it as a file, copy the text or save the picture.
 * @param {HTMLImageElement} image
 * @param {{ day: string, title: string, attempt: DealTry, address: string }} shared
 * @param {string} text
 */
async function offerSharing(image, shared, text) {
  part("copy").onclick = async () => {
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    toast(isCopied ? t("Copied.") : text);
  };
  const file = new File([await drawPicture(shared)], `cartagena-${deal.day}.png`, { type: "image/png" });
  const url = URL.createObjectURL(file);
  image.src = url;
  const save = /** @type {HTMLAnchorElement} */ (part("save"));
  save.href = url;
  save.download = file.name;
  // The address is in the text.
  const picture = { files: [file], text };
  const message = navigator.canShare?.(picture) ? picture : { text };
  part("send").hidden = !navigator.share;
  part("send").onclick = () =>
    navigator.share(message).catch((problem) => {
      // The player has closed the dialog.
      if (problem.name !== "AbortError") toast(text);
    });
}

/** @param {DealRow} row */
const ResultRow = (row) =>
  el(
    row.is_me ? "tr.is-me" : "tr",
    {},
    el("td", {}, String(row.place)),
    el(
      "th",
      { scope: "row" },
      el("a", { href: `/players/${encodeURIComponent(row.person)}` }, personName(row.name)),
    ),
    el(
      "td",
      {},
      describeResult(row),
      // It decides the place.
      row.how === "beaten"
        ? el("small", {}, ` ${tn("{n} space covered", "{n} spaces covered", row.spaces)}`)
        : null,
      row.game ? el("small", {}, el("a", { href: replayPath(row.game) }, t("Replay"))) : null,
    ),
  );

/**
 * @param {string} title
 * @param {{ total: number, rows: DealRow[] }} options
 */
function ResultList(title, { total, rows }) {
  return el(
    "div.deal-list",
    {},
    el("h3", {}, title, " ", el("span.count", {}, String(total))),
    rows.length
      ? el(
          "table.results",
          {},
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              ...[t("Rank"), t("Player"), t("Result")].map((words) => el("th", { scope: "col" }, words)),
            ),
          ),
          el("tbody", {}, ...rows.map(ResultRow)),
        )
      : el("p.empty", {}, t("No one yet.")),
  );
}

/**
 * @param {Deal} deal
 * @param {boolean} [more]
 */
async function showOthers(deal, more = false) {
  part("others").hidden = false;
  part("closed").hidden = deal.is_over || Boolean(deal.tries[0]?.is_over);
  if (!part("closed").hidden) return;
  const results = await get(`/deal/${deal.day}/results?offset=${listedCount}`);
  const { accounts, guests } = results;
  if (!more)
    setChildren(
      part("lists"),
      ResultList(t("Players with an account"), accounts),
      ResultList(t("Guests"), guests),
    );
  else
    [accounts, guests].forEach(
      ({ rows }, n) => rows.length && find("tbody", part("lists").children[n]).append(...rows.map(ResultRow)),
    );
  listedCount += Math.max(accounts.rows.length, guests.rows.length);
  part("more").hidden = listedCount >= Math.max(accounts.total, guests.total);
  if (!more) showComparison(results);
}

/** @param {DealResults} results */
function showComparison(results) {
  const [mine] = deal.tries.filter(({ is_over: isOver }) => isOver);
  const standing = standingText(results.standing, mine);
  part("compared").textContent = standing;
  part("compared").hidden = !standing;
  part("par").textContent = describePar(results.par, mine, deal);
  part("par").hidden = !part("par").textContent;
  setChildren(part("histogram"), Histogram(results, mine));
  part("standing").hidden = part("rule").hidden = !(results.accounts.total || results.guests.total);
  part("sealed").hidden = deal.is_over;
  showTurns(results.comparison, part, deal.scenario);
}

/** @param {Deal} deal */
function showCommitment(deal) {
  const when = dateTime.format(new Date(deal.made_at));
  part("made").textContent = deal.was_early
    ? t(
        "This deal was fixed before its day began ({when} UTC). Its fingerprint has been public since then:",
        {
          when,
        },
      )
    : t(
        "This server was not running the day before, so this deal was fixed later ({when} UTC). Its fingerprint:",
        {
          when,
        },
      );
  part("commitment").textContent = deal.commitment;
  part("secret").hidden = !deal.server_seed;
  part("server-seed").textContent = deal.server_seed ?? "";
  const over = deal.tries.find(({ is_over: isOver }) => isOver);
  part("check").hidden = !over;
  if (over)
    /** @type {HTMLAnchorElement} */ (part("check")).href = `/g/${encodeURIComponent(over.game)}/fairness`;
  const { tomorrow } = deal;
  part("tomorrow").hidden = !tomorrow;
  if (tomorrow) {
    part("tomorrow-words").textContent = t(
      "Tomorrow: {edition}. Opponents: {bots}. Its fingerprint, for you to keep:",
      {
        edition: describeEdition(tomorrow),
        bots: formatList(tomorrow.opponents.map(levelName)),
      },
    );
    part("tomorrow-commitment").textContent = tomorrow.commitment;
  }
  part("fixed").hidden = false;
}

/** @param {Deal} deal */
function showDays({ day, today }) {
  /**
   * @param {string} to
   * @param {string} words
   */
  const link = (to, words) =>
    el("a.button.button-small", { href: to === today ? "/deal" : `/deal/${to}` }, words);
  setChildren(
    part("days"),
    link(shiftDay(day, -1), t("Previous day")),
    day < today ? link(shiftDay(day, 1), t("Next day")) : null,
    day < today ? link(today, t("Today")) : null,
  );
}

/** @param {string} game */
const goToGame = (game) => location.assign(`/g/${encodeURIComponent(game)}`);
/** @param {Deal} deal */
const unfinishedTry = ({ tries }) => tries.find(({ is_over: isOver }) => !isOver);

/** Resume the unfinished try or start one. After midnight no new try can be started: the next day has another deal. */
async function startOrResume() {
  const going = unfinishedTry(deal);
  if (going) return goToGame(going.game);
  try {
    goToGame((await post(`/deal?day=${deal.day}`)).id);
  } catch (problem) {
    if (/** @type {RefusedError} */ (problem).code !== "deal_over") throw problem;
    // Started on another page.
    const other = unfinishedTry(await get(`/deal/${deal.day}`));
    if (other) goToGame(other.game);
    else location.reload();
  }
}

async function onPlay() {
  const button = /** @type {HTMLButtonElement} */ (part("play"));
  button.disabled = true;
  try {
    await startOrResume();
  } catch (problem) {
    releaseButton(button);
    fail(problem);
  }
}

/** Load more results. One request at a time: a second one would add the same rows again. */
async function showMore() {
  const button = /** @type {HTMLButtonElement} */ (part("more"));
  button.disabled = true;
  try {
    await showOthers(deal, true);
  } catch (problem) {
    fail(problem);
  } finally {
    releaseButton(button);
  }
}

async function load() {
  deal = await get(wantedDay ? `/deal/${wantedDay}` : "/deal");
  showToday(deal);
  showMine(deal);
  showCommitment(deal);
  showDays(deal);
  await showOthers(deal);
  part("waiting").hidden = true;
}

part("play").addEventListener("click", onPlay);
part("more").addEventListener("click", showMore);
addEventListener("pageshow", (event) => event.persisted && location.reload());
load().catch(fail);
