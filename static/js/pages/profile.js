// Games and results: one's own page, and what others may see of a player.
import { language, percent, t, tn } from "../core/i18n.js";
import { pirateIcon } from "../core/icons.js";
import { COLOURS, colourName, letterOf, personName, presetName } from "../core/names.js";
import { get, post, put as putTo, Refused } from "../core/api.js";
import { el, find, put } from "../core/dom.js";
import { toast } from "../core/toast.js";
import { variants } from "./variants.js";

const page = find("[data-profile]");
const { player } = page.dataset;
const day = new Intl.DateTimeFormat(language(), { dateStyle: "medium" });
const time = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" });

function fail(problem) {
  if (!(problem instanceof Refused)) throw problem;
  const place = find("[data-problem]", page);
  place.textContent = problem.message;
  place.hidden = false;
}

function placeWords(game) {
  if (game.status === "aborted") return t("broken off");
  if (game.status === "closed") return t("closed");
  if (!game.place) return "";
  return game.place === 1 ? t("won") : t("place {n}", { n: game.place });
}

const figure = (colour) => {
  const look = COLOURS.indexOf(colour);
  return look < 0 ? null : [pirateIcon(look, letterOf(look)), el("span.hidden", {}, colourName(look))];
};

/** Who played, each by colour; with the places once there are any, the first one first. */
function company({ players }) {
  const byPlace = [...players].sort((a, b) => (a.place ?? 9) - (b.place ?? 9));
  return el(
    "ul.company",
    {},
    ...byPlace.map(({ person, name, bot, colour, place }) =>
      el(
        place === 1 ? "li.is-first" : "li",
        {},
        ...(figure(colour) ?? []),
        ...(place ? [el("span.company-place", { "aria-hidden": "true" }, String(place)), el("span.hidden", {}, t("place {n}", { n: place }))] : []),
        person && !bot && name
          ? el("a", { href: `/players/${encodeURIComponent(person)}` }, name)
          : el("span", {}, person ? personName(name) : (name ?? t("empty seat"))),
      ),
    ),
  );
}

function ways(game, path) {
  const over = game.ended_at !== null && game.status !== "running" && game.status !== "open";
  if (!over)
    return [el(game.my_turn ? "a.button.button-small.button-main" : "a.button.button-small", { href: path }, game.my_turn ? t("Your turn") : t("To the table"))];
  return [
    el("a.button.button-small", { href: `${path}/replay` }, t("Replay")),
    game.status === "finished" ? el("a.button.button-small", { href: `${path}/review` }, t("Review")) : null,
    el("a.button.button-small.button-quiet", { href: `${path}/fairness` }, t("Was it fair?")),
  ];
}

function row(game) {
  const edition = presetName(game.preset);
  // the edition once: it is the heading where the table has no name of its own
  const facts = [game.title && edition, ...variants(game.variant), placeWords(game), time.format(new Date(game.ended_at ?? game.created_at))];
  return el(
    game.my_turn ? "li.table-row.my-turn" : "li.table-row",
    {},
    el("div.table-words", {}, el("h3.table-name", {}, game.title || edition), el("p.table-facts", {}, facts.filter(Boolean).join(" · ")), company(game)),
    el("div.table-deeds", {}, ...ways(game, `/g/${encodeURIComponent(game.id)}`)),
  );
}

/** What the games say of somebody, in a few figures. */
function showFacts({ results, favourite, between, player: of }) {
  const played = results.reduce((sum, line) => sum + line.played, 0);
  const won = results.reduce((sum, line) => sum + line.won, 0);
  const facts = [];
  if (played) facts.push([t("Games"), String(played)], [t("Won"), `${won} (${percent(won / played)})`]);
  if (favourite.preset) facts.push([t("Favourite edition"), presetName(favourite.preset)]);
  if (favourite.colour) facts.push([t("Favourite colour"), ...figure(favourite.colour).slice(0, 1), ` ${colourName(COLOURS.indexOf(favourite.colour))}`]);
  if (between)
    facts.push([t("You against {name}", { name: of.name }), `${between.won} – ${between.lost}`, el("small", {}, ` (${tn("{n} game", "{n} games", between.played)})`)]);
  put(find("[data-facts]", page), ...facts.map(([name, ...value]) => el("div", {}, el("dt", {}, name), el("dd", {}, ...value))));
  find("[data-facts]", page).hidden = !facts.length;
}

function showResults(results) {
  find("[data-results-section]", page).hidden = !results.length;
  put(find("[data-results]", page), ...results.map(({ preset, played, won, places }) => {
    const ranks = places.map((n, at) => (n ? t("{n} × place {place}", { n, place: at + 1 }) : "")).filter(Boolean);
    return el("tr", {}, el("th", { scope: "row" }, presetName(preset)), el("td", {}, String(played)), el("td", {}, `${won} (${percent(won / played)})`), el("td", {}, ranks.join(", ")));
  }));
}

let shown = [];
function showFinished(games, more) {
  const section = find('[data-section="finished"]', page);
  shown = [...shown, ...games];
  put(find("[data-rows]", section), ...shown.map(row));
  find("[data-empty]", section).hidden = shown.length > 0;
  find("[data-more]", section).hidden = !more;
}

async function showMine() {
  const { person } = await get("/me");
  if (!person) {
    for (const name of ["unfinished", "finished"]) find(`[data-section="${name}"] [data-empty]`, page).hidden = false;
    return;
  }
  const section = find('[data-section="unfinished"]', page);
  const { games } = await get("/me/games?status=unfinished");
  put(find("[data-rows]", section), ...games.map(row));
  find("[data-empty]", section).hidden = games.length > 0;
  const known = await get(`/players/${encodeURIComponent(person.id)}`);
  showFacts(known);
  showResults(known.results);
  await moreOfMine();
}

async function moreOfMine() {
  const { games, more } = await get(`/me/games?status=finished&offset=${shown.length}`);
  showFinished(games, more);
}

async function showOther() {
  const answer = await get(`/players/${encodeURIComponent(player)}?offset=${shown.length}`);
  find("[data-name]", page).textContent = answer.player.name;
  const words = [answer.player.is_account ? t("Account") : t("Guest"), t("here since {day}", { day: day.format(new Date(answer.player.since)) })];
  find("[data-since]", page).textContent = words.join(" · ");
  document.title = `${answer.player.name} · Cartagena`;
  showFacts(answer);
  showResults(answer.results);
  showFinished(answer.games, answer.more);
  const { person } = await get("/me");
  find("[data-towards]", page).hidden = !person || person.id === player;
  if (answer.can_invite) await offerInviting();
}

/** To the table at which one waits for others, if there is one. */
async function offerInviting() {
  const { games } = await get("/me/games");
  const open = games.find(({ status }) => status === "open");
  const button = find("[data-invite]", page);
  button.hidden = !open;
  button.onclick = () =>
    post(`/games/${encodeURIComponent(open.id)}/invitations`, { player }).then(() => {
      button.hidden = true;
      toast(t("Invited, if they want to hear of it."));
    }, fail);
}

function towards() {
  find("[data-block]", page).addEventListener("click", async () => {
    await putTo(`/blocks/${encodeURIComponent(player)}`).then(() => toast(t("Blocked. You find the list in your account.")), fail);
  });
  const dialog = find("[data-report-dialog]");
  find("[data-report]", page).addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "send") return;
    const form = find("[data-report-form]");
    await post("/reports", { player, reason: form.elements.reason.value, words: form.elements.words.value }).then(
      () => toast(t("Thank you. The operator will read it.")),
      fail,
    );
  });
}

const load = player ? showOther : showMine;
find("[data-more]", page).addEventListener("click", () => (player ? showOther() : moreOfMine()).catch(fail));
if (player) towards();
load().catch(fail);
