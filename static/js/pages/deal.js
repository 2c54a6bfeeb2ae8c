// The deal of the day: what is played and against whom, one's own result to share, the table of all, and turn by turn where ways parted.
import { get, post, Refused } from "../core/api.js";
import { el, find, put } from "../core/dom.js";
import { language, list, t, tn } from "../core/i18n.js";
import { levelName, personName, presetName } from "../core/names.js";
import { toast } from "../core/toast.js";
import { caption, fileOf, resultWords, sharePicture, shareText } from "./deal_picture.js";
import { variants } from "./variants.js";

const page = find("[data-deal]");
const part = (name) => find(`[data-${name}]`, page);
const wanted = page.dataset.day;
const date = new Intl.DateTimeFormat(language(), { dateStyle: "full", timeZone: "UTC" });
const shortDate = new Intl.DateTimeFormat(language(), { day: "numeric", month: "long", timeZone: "UTC" });
const clock = new Intl.DateTimeFormat(language(), { hour: "numeric", minute: "2-digit" });
const moment = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const HOUR = 3_600_000;
let shown = null;
let offset = 0;

const dayOf = (day) => new Date(`${day}T00:00:00Z`);
const shifted = (day, days) => new Date(dayOf(day).getTime() + days * 24 * HOUR).toISOString().slice(0, 10);
const editionOf = (deal) => [presetName(deal.preset), ...variants(deal.variant)].join(", ");

function fail(problem) {
  if (!(problem instanceof Refused)) throw problem;
  part("waiting").hidden = true;
  part("problem").textContent = problem.message;
  part("problem").hidden = false;
}

function untilWords({ ends_at: end, now, is_over: isOver }) {
  if (isOver) return t("This day is over. Its deal can no longer be played, and everything about it is shown.");
  const left = end - now;
  const time = clock.format(new Date(end));
  const long = left < HOUR ? tn("{n} minute", "{n} minutes", Math.max(1, Math.round(left / 60_000))) : tn("{n} hour", "{n} hours", Math.round(left / HOUR));
  return t("The day ends at midnight UTC, which is {time} where you are: in about {long}. A try counts if it ends by then.", { time, long });
}

function playWords(tries) {
  const last = tries.find(({ is_over: isOver }) => !isOver) ?? tries.at(-1);
  if (!last) return [t("Play"), t("Your first try counts.")];
  if (!last.is_over) return [t("Go on"), last.n === 1 ? t("This try counts.") : t("This is not your first try: it does not count.")];
  return [t("Play it again"), t("You know this deal now: another try does not count.")];
}

function showToday(deal) {
  const today = part("today");
  part("title").textContent = date.format(dayOf(deal.day));
  part("facts").textContent = t("{edition}, against {bots}", { edition: editionOf(deal), bots: list(deal.opponents.map(levelName)) });
  part("until").textContent = untilWords(deal);
  const [words, counts] = playWords(deal.tries);
  part("play").textContent = words;
  part("play").hidden = deal.is_over;
  part("counts").textContent = deal.is_over ? "" : counts;
  const { days, best } = deal.streak;
  part("streak").hidden = !best;
  part("streak").textContent = days
    ? `${tn("{n} day in a row.", "{n} days in a row.", days)} ${best > days ? tn("Your longest run was {n} day.", "Your longest run was {n} days.", best) : ""}`
    : tn("Your longest run was {n} day.", "Your longest run was {n} days.", best);
  today.hidden = false;
}

function showMine(deal) {
  const over = deal.tries.filter(({ is_over: isOver }) => isOver);
  if (!over.length) return;
  const [attempt] = over;
  const day = shortDate.format(dayOf(deal.day));
  const told = { day, title: editionOf(deal), attempt, address: `${location.origin}/deal/${deal.day}` };
  const text = shareText(told);
  const picture = sharePicture(told);
  part("result").textContent = attempt.is_late ? `${resultWords(attempt)} ${t("It ended after its day, so it stands in no list.")}` : resultWords(attempt);
  put(part("share"), picture, caption(text));
  part("copy").onclick = async () => {
    const isCopied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    toast(isCopied ? t("Copied.") : text);
  };
  part("save").href = fileOf(picture);
  part("save").download = `cartagena-${deal.day}.svg`;
  const later = over.slice(1).map((each) => resultWords(each));
  part("tries").hidden = !later.length;
  part("tries").textContent = t("Later tries, which do not count: {tries}", { tries: later.join(" ") });
  part("mine").hidden = false;
}

const line = (row) =>
  el(
    row.is_me ? "tr.is-me" : "tr",
    {},
    el("td", {}, String(row.place)),
    el("th", { scope: "row" }, el("a", { href: `/players/${encodeURIComponent(row.person)}` }, personName(row.name))),
    el("td", {}, resultWords(row)),
  );

function listOf(title, { total, rows }) {
  return el(
    "div.deal-list",
    {},
    el("h3", {}, title, " ", el("span.count", {}, String(total))),
    rows.length
      ? el("table.results", {}, el("thead", {}, el("tr", {}, ...[t("Place"), t("Player"), t("Result")].map((words) => el("th", { scope: "col" }, words)))), el("tbody", {}, ...rows.map(line)))
      : el("p.empty", {}, t("Nobody yet.")),
  );
}

function partingWords({ others, parting, turns }, isOver) {
  if (!others) return t("Nobody else has finished this deal yet.");
  if (!parting) return turns.at(-1)?.same ? t("You went the usual way to the end.") : t("You always went the way that most of those took who had played as you had.");
  const numbers = { turn: parting.turn, others: parting.others, usual: parting.usual };
  const words = t("You left the usual way in turn {turn}: of {others} who had played as you did until then, {usual} took one way and you another.", numbers);
  return isOver ? `${words} ${t("You: {mine}. They: {theirs}.", { mine: parting.played, theirs: parting.instead })}` : words;
}

/** How the others stood, as a bar; the numbers are said too. */
function others({ behind, level, ahead }) {
  const piece = (kind, n) => (n ? el(`i.deal-${kind}`, { "data-n": n }, "") : null);
  const bar = el("span.deal-bar", { "aria-hidden": "true" }, ...["behind", "level", "ahead"].map((kind) => piece(kind, { behind, level, ahead }[kind])));
  for (const each of bar.children) each.style.flexGrow = each.dataset.n;
  return [bar, el("span.deal-numbers", {}, t("{behind} behind, {level} level, {ahead} ahead", { behind, level, ahead }))];
}

function showTurns(comparison, isOver) {
  if (!comparison?.turns.length) return;
  part("parting").textContent = partingWords(comparison, isOver);
  put(
    part("turn-rows"),
    ...comparison.turns.map((turn, n) =>
      el(
        comparison.parting?.turn === n + 1 ? "tr.deal-parted" : "tr",
        {},
        el("th", { scope: "row" }, String(n + 1)),
        el("td", {}, `${turn.spaces} (${turn.gained < 0 ? "−" : "+"}${Math.abs(turn.gained)})`),
        el("td", {}, String(turn.home)),
        el("td", {}, ...(comparison.others ? others(turn) : ["–"])),
        el("td", {}, comparison.others ? String(turn.same) : "–"),
      ),
    ),
  );
  part("turns").hidden = false;
}

async function showOthers(deal, more = false) {
  part("others").hidden = false;
  part("closed").hidden = deal.is_over || Boolean(deal.tries[0]?.is_over);
  if (!part("closed").hidden) return;
  const results = await get(`/deal/${deal.day}/results?offset=${offset}`);
  const { accounts, guests } = results;
  if (!more) put(part("lists"), listOf(t("Players with an account"), accounts), listOf(t("Guests"), guests));
  else [accounts, guests].forEach(({ rows }, n) => rows.length && find("tbody", part("lists").children[n]).append(...rows.map(line)));
  offset += Math.max(accounts.rows.length, guests.rows.length);
  part("more").hidden = offset >= Math.max(accounts.total, guests.total);
  if (!more) showTurns(results.comparison, deal.is_over);
}

function showFixed(deal) {
  const when = moment.format(new Date(deal.made_at));
  part("made").textContent = deal.was_early
    ? t("This deal was fixed on {when} UTC, before its day began. Its fingerprint has been public since:", { when })
    : t("This server was not running the day before: this deal was fixed on {when} UTC. Its fingerprint:", { when });
  part("commitment").textContent = deal.commitment;
  part("secret").hidden = !deal.server_seed;
  part("server-seed").textContent = deal.server_seed ?? "";
  const over = deal.tries.find(({ is_over: isOver }) => isOver);
  part("check").hidden = !over;
  if (over) part("check").href = `/g/${encodeURIComponent(over.game)}/fairness`;
  const { tomorrow } = deal;
  part("tomorrow").hidden = !tomorrow;
  if (tomorrow) {
    part("tomorrow-words").textContent = t("Tomorrow: {edition}, against {bots}. Its fingerprint, to keep:", { edition: editionOf(tomorrow), bots: list(tomorrow.opponents.map(levelName)) });
    part("tomorrow-commitment").textContent = tomorrow.commitment;
  }
  part("fixed").hidden = false;
}

function showDays({ day, today }) {
  const link = (to, words) => el("a.button.button-small", { href: to === today ? "/deal" : `/deal/${to}` }, words);
  put(part("days"), link(shifted(day, -1), t("The day before")), day < today ? link(shifted(day, 1), t("The day after")) : null, day < today ? link(today, t("Today")) : null);
}

const toGame = (game) => location.assign(`/g/${encodeURIComponent(game)}`);
const unfinished = ({ tries }) => tries.find(({ is_over: isOver }) => !isOver);

/** On a page that was left open past midnight a try under way may still be finished, but none is begun: the next day's is another deal. */
async function begin() {
  const going = unfinished(shown);
  if (going) return toGame(going.game);
  try {
    toGame((await post(`/deal?day=${shown.day}`)).id);
  } catch (problem) {
    if (problem.code !== "deal_over") throw problem;
    const other = unfinished(await get(`/deal/${shown.day}`)); // begun on another page
    if (other) toGame(other.game);
    else location.reload();
  }
}

async function play() {
  part("play").disabled = true;
  try {
    await begin();
  } catch (problem) {
    part("play").disabled = false;
    fail(problem);
  }
}

/** Once at a time: two requests for the same page of the lists would both be added. */
async function showMore() {
  const button = part("more");
  button.disabled = true;
  try {
    await showOthers(shown, true);
  } catch (problem) {
    fail(problem);
  } finally {
    button.disabled = false;
    if (document.activeElement === document.body) button.focus(); // a disabled button lost it
  }
}

async function load() {
  shown = await get(wanted ? `/deal/${wanted}` : "/deal");
  showToday(shown);
  showMine(shown);
  showFixed(shown);
  showDays(shown);
  await showOthers(shown);
  part("waiting").hidden = true;
}

part("play").addEventListener("click", play);
part("more").addEventListener("click", showMore);
addEventListener("pageshow", (event) => event.persisted && location.reload());
load().catch(fail);
