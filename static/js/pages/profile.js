// Games and results of a player: the own page, and the public profile.

/** @import {Colour, PlayedGame, Profile} from "../core/types.d.ts" */

import { get, getUrl, post, put as putTo, RefusedError, remove } from "../core/api.js";
import { el, find, namedFields, setChildren } from "../core/dom.js";
import { FriendButton } from "../core/friend_button.js";
import { formatPercent, language, t, tn } from "../core/i18n.js";
import { pirateIcon } from "../core/icons.js";
import { COLOURS, colourName, letterOf, personName, presetName } from "../core/names.js";
import { NoteBox } from "../core/person_note.js";
import { toast } from "../core/toast.js";
import { showRatings } from "./profile_ratings.js";
import { variantNames } from "./variant_names.js";

const page = find("[data-profile]");
const player = /** @type {string} */ (page.dataset.player);
const dateFormat = new Intl.DateTimeFormat(language(), { dateStyle: "medium" });
const dateTimeFormat = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" });

/** @param {Error} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  const place = find("[data-problem]", page);
  place.textContent = problem.message;
  place.hidden = false;
}

/** @param {PlayedGame} game */
function placeText(game) {
  if (game.status === "aborted") return t("stopped early");
  if (game.status === "closed") return t("closed");
  if (!game.place) return "";
  return game.place === 1 ? t("won") : t("rank {n}", { n: game.place });
}

/** @param {Colour | null} colour */
const ColourFigure = (colour) => {
  const look = COLOURS.indexOf(/** @type {Colour} */ (colour));
  return look < 0 ? null : [pirateIcon(look, letterOf(look)), el("span.hidden", {}, colourName(look))];
};

/**
 * Create the list of players with their colours, sorted by place if the game is over.
 * @param {PlayedGame} game
 */
function PlayerList({ players }) {
  const byPlace = [...players].sort((a, b) => (a.place ?? 9) - (b.place ?? 9));
  return el(
    "ul.company",
    {},
    ...byPlace.map(({ person, name, bot, colour, place }) =>
      el(
        place === 1 ? "li.is-first" : "li",
        {},
        ...(ColourFigure(colour) ?? []),
        ...(place
          ? [
              el("span.company-place", { "aria-hidden": "true" }, String(place)),
              el("span.hidden", {}, t("rank {n}", { n: place })),
            ]
          : []),
        person && !bot && name
          ? el("a", { href: `/players/${encodeURIComponent(person)}` }, name)
          : el("span", {}, person ? personName(name) : (name ?? t("empty seat"))),
      ),
    ),
  );
}

/**
 * @param {PlayedGame} game
 * @param {string} path
 */
function GameLinks(game, path) {
  const over = game.ended_at !== null && game.status !== "running" && game.status !== "open";
  if (!over)
    return [
      el(
        game.my_turn ? "a.button.button-small.button-main" : "a.button.button-small",
        { href: path },
        game.my_turn ? t("Your turn") : t("Go to the table"),
      ),
    ];
  return [
    el("a.button.button-small", { href: `${path}/replay` }, t("Replay")),
    game.status === "finished" ? el("a.button.button-small", { href: `${path}/review` }, t("Review")) : null,
    el("a.button.button-small.button-quiet", { href: `${path}/fairness` }, t("Was it fair?")),
  ];
}

/** @param {PlayedGame} game */
function GameRow(game) {
  const edition = presetName(game.preset);
  // Without a title the edition is already the heading.
  const facts = [
    game.title && edition,
    ...variantNames(game.variant),
    game.deal && t("The deal of the day"),
    game.rated && t("rated"),
    placeText(game),
    dateTimeFormat.format(new Date(game.ended_at ?? game.created_at)),
  ];
  return el(
    game.my_turn ? "li.table-row.my-turn" : "li.table-row",
    {},
    el(
      "div.table-words",
      {},
      el("h3.table-name", {}, game.title || edition),
      el("p.table-facts", {}, facts.filter(Boolean).join(" · ")),
      PlayerList(game),
    ),
    el("div.table-deeds", {}, ...GameLinks(game, `/g/${encodeURIComponent(game.id)}`)),
  );
}

/**
 * Show the key figures of a player.
 * @param {Profile} profile
 */
function showFacts({ results, favourite, between, player: of }) {
  const played = results.reduce((sum, line) => sum + line.played, 0);
  const won = results.reduce((sum, line) => sum + line.won, 0);
  /** @type {(string | Node)[][]} */
  const facts = [];
  if (played)
    facts.push(
      [t("Public games finished"), String(played)],
      [t("Won"), `${won} (${formatPercent(won / played)})`],
    );
  if (favourite.preset) facts.push([t("Favourite edition"), presetName(favourite.preset)]);
  if (favourite.colour)
    facts.push([
      t("Favourite colour"),
      .../** @type {Node[]} */ (ColourFigure(favourite.colour)).slice(0, 1),
      ` ${colourName(COLOURS.indexOf(favourite.colour))}`,
    ]);
  if (between)
    facts.push([
      t("You against {name}", { name: of.name }),
      `${between.won} – ${between.lost}`,
      el("small", {}, ` (${tn("{n} game", "{n} games", between.played)})`),
    ]);
  setChildren(
    find("[data-facts]", page),
    ...facts.map(([name, ...value]) => el("div", {}, el("dt", {}, name), el("dd", {}, ...value))),
  );
  find("[data-facts]", page).hidden = !facts.length;
}

/** @param {Profile["results"]} results */
function showResults(results) {
  find("[data-results-section]", page).hidden = !results.length;
  setChildren(
    find("[data-results]", page),
    ...results.map(({ preset, played, won, places }) => {
      const ranks = places
        .map((n, at) => (n ? t("{n} × rank {rank}", { n, rank: at + 1 }) : ""))
        .filter(Boolean);
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, presetName(preset)),
        el("td", {}, String(played)),
        el("td", {}, `${won} (${formatPercent(won / played)})`),
        el("td", {}, ranks.join(", ")),
      );
    }),
  );
}

/** @type {PlayedGame[]} */
let shownGames = [];
/**
 * @param {PlayedGame[]} games
 * @param {boolean} more
 */
function showFinished(games, more) {
  const section = find('[data-section="finished"]', page);
  shownGames = [...shownGames, ...games];
  setChildren(find("[data-rows]", section), ...shownGames.map(GameRow));
  find("[data-empty]", section).hidden = shownGames.length > 0;
  find("[data-more]", section).hidden = !more;
}

async function showMine() {
  const { person } = await get("/me");
  if (!person) {
    for (const name of ["unfinished", "finished"])
      find(`[data-section="${name}"] [data-empty]`, page).hidden = false;
    return;
  }
  const section = find('[data-section="unfinished"]', page);
  const [{ games }, profile, due] = await Promise.all([
    get("/me/games?status=unfinished"),
    get(`/players/${encodeURIComponent(person.id)}`),
    countDueMistakes(),
    showMoreOfMine(),
  ]);
  setChildren(find("[data-rows]", section), ...games.map(GameRow));
  find("[data-empty]", section).hidden = games.length > 0;
  showFacts(profile);
  showResults(profile.results);
  offerPractice(due);
  await showRatings(page, person.id, { games: shownGames, isOwn: true });
}

/** Return how many of the player's mistakes are due as puzzles; 0 if the server does not say. */
async function countDueMistakes() {
  try {
    return (await getUrl("/practice/mistakes")).due;
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    return 0;
  }
}

/** @param {number} due */
function offerPractice(due) {
  const notice = find("[data-to-practice]", page);
  notice.hidden = !due;
  find("span", notice).textContent = tn(
    "{n} of your turns is waiting for a better idea.",
    "{n} of your turns are waiting for a better idea.",
    due,
  );
}

async function showMoreOfMine() {
  const { games, more } = await get(`/me/games?status=finished&offset=${shownGames.length}`);
  showFinished(games, more);
}

async function showOther() {
  const answer = await get(`/players/${encodeURIComponent(player)}?offset=${shownGames.length}`);
  find("[data-name]", page).textContent = answer.player.name;
  const words = [
    answer.player.is_account ? t("Account") : t("Guest"),
    t("joined: {day}", { day: dateFormat.format(new Date(answer.player.since)) }),
  ];
  find("[data-since]", page).textContent = words.join(" · ");
  document.title = `${answer.player.name} · Cartagena`;
  showFacts(answer);
  showResults(answer.results);
  const isFirst = !shownGames.length;
  showFinished(answer.games, answer.more);
  if (isFirst && answer.player.is_account)
    await showRatings(page, player, { games: answer.games, isOwn: false });
  await showRelation(answer);
}

/**
 * Show what this reader and the player have to do with each other; nothing to readers without a name and to oneself.
 * @param {Profile} profile
 */
async function showRelation({ player: { id, name }, relation, can_ask, can_invite, is_blocked, note }) {
  if (relation === null) return;
  find("[data-towards]", page).hidden = false;
  find("[data-blocked]", page).hidden = !is_blocked;
  find("[data-unblock]", page).hidden = !is_blocked;
  find("[data-block]", page).hidden = is_blocked;
  setChildren(find("[data-friend]", page), can_ask ? FriendButton({ id, name, relation }) : null);
  if (!find("[data-note]", page).childElementCount)
    find("[data-note]", page).append(NoteBox({ id, text: note }));
  find("[data-invite]", page).hidden = true;
  if (can_invite) await offerInvitation();
}

/** Offer to invite the player to one's own open table, if there is one. */
async function offerInvitation() {
  const { games } = await get("/me/games");
  const open = games.find((/** @type {PlayedGame} */ { status }) => status === "open");
  const button = find("[data-invite]", page);
  button.hidden = !open;
  button.onclick = () =>
    post(`/games/${encodeURIComponent(open.id)}/invitations`, { player }).then(() => {
      button.hidden = true;
      toast(t("Invitation sent, if they accept invitations."));
    }, fail);
}

function initPersonActions() {
  /**
   * @param {Promise<unknown>} work
   * @param {string} words
   * @param {string} next The button that takes the place of the one pressed.
   */
  async function changeBlock(work, words, next) {
    try {
      await work;
      const profile = await get(`/players/${encodeURIComponent(player)}`);
      showFacts(profile);
      await showRelation(profile);
      toast(words);
      find(next, page).focus();
    } catch (problem) {
      fail(/** @type {Error} */ (problem));
    }
  }
  const path = `/blocks/${encodeURIComponent(player)}`;
  find("[data-block]", page).addEventListener("click", () =>
    changeBlock(
      putTo(path),
      t("This player is blocked. You can see the list in your account."),
      "[data-unblock]",
    ),
  );
  find("[data-unblock]", page).addEventListener("click", () =>
    changeBlock(remove(path), t("This player is no longer blocked."), "[data-block]"),
  );
  /** @type {HTMLDialogElement} */
  const dialog = find("[data-report-dialog]");
  find("[data-report]", page).addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "send") return;
    /** @type {HTMLFormElement} */
    const form = find("[data-report-form]");
    await post("/reports", {
      player,
      reason: namedFields(form).reason.value,
      words: namedFields(form).words.value,
    }).then(() => toast(t("Thank you. The operator will read it.")), fail);
  });
}

const load = player ? showOther : showMine;
find("[data-more]", page).addEventListener("click", () =>
  (player ? showOther() : showMoreOfMine()).catch(fail),
);
if (player) initPersonActions();
// Everything appears at once, so that nothing moves.
load()
  .catch(fail)
  .finally(() => page.removeAttribute("data-loading"));
