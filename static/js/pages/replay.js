// The replay page: any game at any step, by slider, keys or timer, as any viewer the game allows sees it.
import { Board } from "../board/board.js";
import { pirateIcon, symbolIcon } from "../core/icons.js";
import { t, tn } from "../core/i18n.js";
import { eventLine } from "../core/event_text.js";
import { lastTurnOf, viewsOf } from "../core/fold.js";
import { cardName, letterOf, lookOf, presetName, seatName } from "../core/names.js";
import { Refused } from "../core/api.js";
import { el, find, findAll, put, svg } from "../core/dom.js";
import { fromRecord, fromRoom, readRecord } from "./replay_source.js";
import { toast } from "../core/toast.js";

const page = find("[data-replay]");
const room = page.dataset.room;
const slider = find("[data-step]", page);
const viewers = find("[data-eyes]", page);
const speed = find("[data-speed]", page);
const playing = find('[data-go="play"]', page);

let game = null; // {replay, seats, viewer, record}
let views = [];
let step = 0;
let timer = 0;
let board = null;

/** The step that the address names; else, while the game runs, where one's own last turn began. */
function wantedStep() {
  const named = new URLSearchParams(location.search).get("step");
  if (named !== null) return Number(named) || 0;
  return game.record ? 0 : lastTurnOf(views, game.viewer);
}

/** What a step says, after the view it started from. */
function stepWords(n) {
  const { events, by } = game.replay.steps[n];
  return eventLine(events, views[n], game.seats, by).text || t("Something happened that you may not see.");
}

function fail(problem) {
  if (!(problem instanceof Refused)) throw problem;
  const place = find("[data-problem]", page);
  place.textContent = problem.message;
  place.hidden = false;
  find("[data-waiting]", page).hidden = true;
  place.scrollIntoView({ block: "nearest" });
}

function take(loaded, wanted = null) {
  game = loaded;
  views = viewsOf(game.replay, game.viewer);
  find("[data-problem]", page).hidden = true;
  find("[data-waiting]", page).hidden = true;
  find("[data-stage]", page).hidden = false;
  slider.max = String(views.length - 1);
  if (!board) {
    const picture = svg("svg");
    put(find("[data-board]", page), picture);
    board = Board(picture, { interactive: false, seats: game.seats, fit: "box" });
  } else board.seats(game.seats);
  about();
  offerViewers();
  writeLog();
  go(Math.min(Math.max(wanted ?? wantedStep(), 0), views.length - 1), false);
}

function about() {
  const { options } = views[0];
  const words = [presetName(options.preset), tn("{n} player", "{n} players", options.players)];
  if (!game.record) words.push(t("The game is still running: you see what you have seen so far."));
  find("[data-about]", page).textContent = words.join(" · ");
  const link = find("[data-download]", page);
  link.hidden = !game.record;
  const embed = find("[data-embed-it]", page);
  if (embed && game.table) embed.hidden = game.table.locked || !game.table.spectators;
  if (!game.record) return;
  const file = new Blob([JSON.stringify(game.record, null, 1)], { type: "application/json" });
  link.href = URL.createObjectURL(file);
  link.download = `cartagena-${(room || "record").slice(0, 8)}.json`;
}

function offerViewers() {
  find("[data-eyes-field]", page).hidden = !game.record;
  if (!game.record || viewers.options.length) return;
  const option = (value, words) => el("option", { value }, words);
  put(viewers, option("all", t("everyone")), ...game.seats.map((_, seat) => option(String(seat), seatName(game.seats, seat))), option("none", t("a spectator")));
}

function writeLog() {
  const lines = game.replay.steps.map((_, n) =>
    el("li", {}, el("button", { type: "button", "data-to": String(n + 1), onclick: () => go(n + 1) }, stepWords(n))),
  );
  put(find("[data-log]", page), ...lines);
  find("[data-log-panel]", page).hidden = !lines.length;
}

function playerRow(view, seat) {
  const player = view.players[seat];
  const look = lookOf(game.seats, seat);
  const held = player.hand ? player.hand.length : player.cards;
  const home = player.pirates.filter((place) => place === "goal").length;
  const facts = [tn("{n} card", "{n} cards", held), t("{n} home", { n: home })];
  if (player.resigned) facts.push(t("gave up"));
  if (view.winner === seat) facts.push(t("has won"));
  const cards = (player.hand ?? []).map((card) => {
    const shown = el(card.endsWith("*") ? "span.mini-card.is-dark" : "span.mini-card", { title: cardName(card) }, symbolIcon(card, "symbol"), el("span.hidden", {}, cardName(card)));
    return shown;
  });
  return el(
    view.turn.seat === seat && view.winner === null ? "li.player.in-turn" : "li.player",
    {},
    pirateIcon(look, letterOf(look), "player-figure"),
    el("div", {}, el("b", {}, seatName(game.seats, seat)), el("small", {}, facts.join(" · ")), el("span.mini-hand", {}, ...cards)),
  );
}

/** Show a step; one step forward is animated, any other jump is not. */
function go(to, keepAddress = true) {
  const forward = to === step + 1;
  step = to;
  const view = views[step];
  board.set(view, forward ? game.replay.steps[step - 1].events : []);
  slider.value = String(step);
  find("[data-count]", page).textContent = `${step} / ${views.length - 1}`;
  const said = step ? stepWords(step - 1) : t("The start of the game.");
  find("[data-said]", page).textContent = said;
  slider.setAttribute("aria-valuetext", `${step}: ${said}`);
  put(find("[data-players]", page), ...view.players.map((_, seat) => playerRow(view, seat)));
  for (const line of findAll("[data-to]", page)) {
    const here = Number(line.dataset.to) === step;
    if (here) line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
    if (here) line.parentElement.parentElement.scrollTo({ top: line.offsetTop - 80 });
  }
  const review = find("[data-to-review]", page);
  if (review) {
    review.hidden = !game.replay.over;
    review.href = `/g/${room}/review?step=${step}`;
  }
  if (keepAddress) {
    const address = new URL(location.href);
    address.searchParams.set("step", String(step));
    history.replaceState(null, "", address);
  }
  if (step === views.length - 1) pause();
}

function pause() {
  clearInterval(timer);
  timer = 0;
  playing.setAttribute("aria-pressed", "false");
  find("[data-play-word]", playing).textContent = t("Play back");
}

function play() {
  if (timer) return pause();
  if (step === views.length - 1) go(0);
  playing.setAttribute("aria-pressed", "true");
  find("[data-play-word]", playing).textContent = t("Pause");
  timer = setInterval(() => go(Math.min(step + 1, views.length - 1)), Number(speed.value));
}

const actions = {
  first: () => go(0),
  back: () => go(Math.max(0, step - 1)),
  on: () => go(Math.min(views.length - 1, step + 1)),
  last: () => go(views.length - 1),
  play,
};
const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };

page.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-go]");
  if (!button) return;
  if (button.dataset.go !== "play") pause();
  actions[button.dataset.go]();
});
slider.addEventListener("input", () => {
  pause();
  go(Number(slider.value));
});
speed.addEventListener("change", () => {
  if (timer) {
    pause();
    play();
  }
});
document.addEventListener("keydown", (event) => {
  if (!views.length || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, select, textarea, summary")) return;
  if (event.key === " " && event.target.closest?.("button, a")) return;
  const name = KEYS[event.key];
  if (!name) return;
  event.preventDefault();
  if (name !== "play") pause();
  actions[name]();
});
viewers.addEventListener("change", async () => {
  const wanted = viewers.value === "all" ? "all" : viewers.value === "none" ? null : Number(viewers.value);
  const { seats } = game;
  await fromRecord(game.record, wanted).then((loaded) => take({ ...loaded, seats }, step), fail);
});
find("[data-share]", page).addEventListener("click", async () => {
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  toast(copied ? t("The link is copied.") : location.href);
});
find("[data-embed-it]", page)?.addEventListener("click", async () => {
  const { openEmbed } = await import("../core/embed_snippet.js");
  await openEmbed({ id: room, status: "finished" });
});
/** A file was opened: what asked for it gives its room to the board. */
function takeFile(loaded) {
  viewers.replaceChildren();
  pause();
  find("[data-load]", page).hidden = true;
  const word = find("[data-load-word]", page);
  word.textContent = t("Choose another file");
  word.className = "button button-small";
  find(".replay-head", page).append(word.parentElement);
  take(loaded, 0);
}
find("#record-file")?.addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  event.target.value = ""; // the same file, mended, can be chosen again
  await readRecord(file).then((record) => fromRecord(record)).then(takeFile).catch(fail);
});
if (room) fromRoom(room).then((loaded) => take(loaded)).catch(fail);
