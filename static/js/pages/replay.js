// The replay page: shows a game step by step, from the perspective of any permitted viewer.

/** @import {GameRecord, LoadedGame, View} from "../core/types.d.ts" */

import { Board } from "../board/board.js";
import { RefusedError } from "../core/api.js";
import { el, find, findAll, setChildren, svg, targetOf } from "../core/dom.js";
import { describeEvents } from "../core/event_text.js";
import { lastTurnStart, replayViews } from "../core/fold.js";
import { t, tn } from "../core/i18n.js";
import { pirateIcon, symbolIcon } from "../core/icons.js";
import { cardName, letterOf, lookOf, presetName, seatName } from "../core/names.js";
import { canAnalyse, openAnalysis } from "../core/open_analysis.js";
import { toast } from "../core/toast.js";
import { loadGame, loadRecord, readRecord } from "./replay_source.js";

const page = find("[data-replay]");
const room = /** @type {string} */ (page.dataset.room);
/** @type {HTMLInputElement} */
const slider = find("[data-step]", page);
/** @type {HTMLSelectElement} */
const viewerSelect = find("[data-eyes]", page);
/** @type {HTMLSelectElement} */
const speedSelect = find("[data-speed]", page);
const playButton = find('[data-go="play"]', page);

/** @type {LoadedGame} Set by showGame(). */
let game;
/** @type {View[]} */
let views = [];
let step = 0;
let timer = 0;
/** @type {ReturnType<typeof Board>} */
let board;

/** Return the step named in the address; else, in a running game, the beginning of the viewer's last turn. */
function initialStep() {
  const named = new URLSearchParams(location.search).get("step");
  if (named !== null) return Number(named) || 0;
  return game.record || game.table?.status !== "running"
    ? 0
    : lastTurnStart(views, /** @type {number} */ (game.viewer));
}

/**
 * Describe a step.
 * @param {number} n
 */
function stepText(n) {
  const { events, by } = game.replay.steps[n];
  return (
    describeEvents(events, views[n], game.seats, by).text || t("Something happened that is hidden from you.")
  );
}

/** @param {Error} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  const place = find("[data-problem]", page);
  place.textContent = problem.message;
  place.hidden = false;
  find("[data-waiting]", page).hidden = true;
  place.scrollIntoView({ block: "nearest" });
}

/**
 * @param {LoadedGame} loaded
 * @param {number | null} [wantedStep]
 */
function showGame(loaded, wantedStep = null) {
  game = loaded;
  views = replayViews(game.replay, game.viewer);
  find("[data-problem]", page).hidden = true;
  find("[data-waiting]", page).hidden = true;
  find("[data-stage]", page).hidden = false;
  slider.max = String(views.length - 1);
  if (!board) {
    const picture = svg("svg");
    setChildren(find("[data-board]", page), picture);
    board = Board(picture, { interactive: false, seats: game.seats, fit: "box" });
  } else board.setSeats(game.seats);
  showAbout();
  offerViewers();
  writeLog();
  goTo(Math.min(Math.max(wantedStep ?? initialStep(), 0), views.length - 1), false);
}

function showAbout() {
  const { options } = views[0];
  const words = [presetName(options.preset), tn("{n} player", "{n} players", options.players)];
  if (game.record?.rated || game.table?.rated) words.push(t("rated"));
  if (!game.record)
    words.push(
      game.table?.status === "running"
        ? t("The game is still running: this is what you have seen so far.")
        : t("This is what you saw. Everything else is shown when the day of this deal is over."),
    );
  find("[data-about]", page).textContent = words.join(" · ");
  /** @type {HTMLAnchorElement} */
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
  if (!game.record || viewerSelect.options.length) return;
  /**
   * @param {string} value
   * @param {string} words
   */
  const option = (value, words) => el("option", { value }, words);
  setChildren(
    viewerSelect,
    option("all", t("everyone")),
    ...game.seats.map((_, seat) => option(String(seat), seatName(game.seats, seat))),
    option("none", t("a spectator")),
  );
}

function writeLog() {
  const lines = game.replay.steps.map((_, n) =>
    el(
      "li",
      {},
      el("button", { type: "button", "data-to": String(n + 1), onclick: () => goTo(n + 1) }, stepText(n)),
    ),
  );
  setChildren(find("[data-log]", page), ...lines);
  find("[data-log-panel]", page).hidden = !lines.length;
}

/**
 * @param {View} view
 * @param {number} seat
 */
function PlayerRow(view, seat) {
  const player = view.players[seat];
  const look = lookOf(game.seats, seat);
  const handSize = player.hand ? player.hand.length : player.cards;
  const home = player.pirates.filter((place) => place === "goal").length;
  const facts = [tn("{n} card", "{n} cards", Number(handSize)), t("{n} at the goal", { n: home })];
  if (player.resigned) facts.push(t("resigned"));
  if (view.winner === seat) facts.push(t("has won"));
  const cards = (player.hand ?? []).map((card) => {
    const shown = el(
      card.endsWith("*") ? "span.mini-card.is-dark" : "span.mini-card",
      { title: cardName(card) },
      symbolIcon(card, "symbol"),
      el("span.hidden", {}, cardName(card)),
    );
    return shown;
  });
  return el(
    view.turn.seat === seat && view.winner === null ? "li.player.in-turn" : "li.player",
    {},
    pirateIcon(look, letterOf(look), "player-figure"),
    el(
      "div",
      {},
      el("b", {}, seatName(game.seats, seat)),
      el("small", {}, facts.join(" · ")),
      el("span.mini-hand", {}, ...cards),
    ),
  );
}

/**
 * Show a step. Only a single step forward is animated.
 * @param {number} to
 * @param {boolean} [keepAddress]
 */
function goTo(to, keepAddress = true) {
  const forward = to === step + 1;
  step = to;
  const view = views[step];
  board.set(view, forward ? game.replay.steps[step - 1].events : []);
  slider.value = String(step);
  find("[data-count]", page).textContent = `${step} / ${views.length - 1}`;
  const sentence = step ? stepText(step - 1) : t("The start of the game.");
  find("[data-said]", page).textContent = sentence;
  slider.setAttribute("aria-valuetext", `${step}: ${sentence}`);
  setChildren(find("[data-players]", page), ...view.players.map((_, seat) => PlayerRow(view, seat)));
  for (const line of findAll("[data-to]", page)) {
    const isCurrent = Number(line.dataset.to) === step;
    if (isCurrent) line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
    if (isCurrent) line.parentElement?.parentElement?.scrollTo({ top: line.offsetTop - 80 });
  }
  /** @type {HTMLAnchorElement | null} */
  const review = find("[data-to-review]", page);
  if (review) {
    review.hidden = !game.replay.over;
    review.href = `/g/${room}/review?step=${step}`;
  }
  find("[data-analyse]", page).hidden = !game.record || !canAnalyse(view);
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
  playButton.setAttribute("aria-pressed", "false");
  find("[data-play-word]", playButton).textContent = t("Start the replay");
}

function togglePlay() {
  if (timer) return pause();
  if (step === views.length - 1) goTo(0);
  playButton.setAttribute("aria-pressed", "true");
  find("[data-play-word]", playButton).textContent = t("Pause");
  timer = setInterval(() => goTo(Math.min(step + 1, views.length - 1)), Number(speedSelect.value));
}

/** @type {Record<string, () => void>} */
const actions = {
  first: () => goTo(0),
  back: () => goTo(Math.max(0, step - 1)),
  on: () => goTo(Math.min(views.length - 1, step + 1)),
  last: () => goTo(views.length - 1),
  play: togglePlay,
};
/** @type {Record<string, string>} */
const KEY_ACTIONS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };

page.addEventListener("click", (event) => {
  const button = /** @type {HTMLElement | null} */ (targetOf(event).closest?.("[data-go]"));
  if (!button) return;
  if (button.dataset.go !== "play") pause();
  actions[String(button.dataset.go)]();
});
slider.addEventListener("input", () => {
  pause();
  goTo(Number(slider.value));
});
speedSelect.addEventListener("change", () => {
  if (timer) {
    pause();
    togglePlay();
  }
});
document.addEventListener("keydown", (event) => {
  if (!views.length || event.ctrlKey || event.metaKey || event.altKey) return;
  if (targetOf(event).closest?.("input, select, textarea, summary")) return;
  if (event.key === " " && targetOf(event).closest?.("button, a")) return;
  const name = KEY_ACTIONS[event.key];
  if (!name) return;
  event.preventDefault();
  if (name !== "play") pause();
  actions[name]();
});
viewerSelect.addEventListener("change", async () => {
  const viewer =
    viewerSelect.value === "all" ? "all" : viewerSelect.value === "none" ? null : Number(viewerSelect.value);
  const { seats } = game;
  await loadRecord(/** @type {GameRecord} */ (game.record), viewer).then(
    (loaded) => showGame({ ...loaded, seats }, step),
    fail,
  );
});
find("[data-analyse]", page).addEventListener("click", () => openAnalysis(views[step]).catch(fail));
find("[data-share]", page).addEventListener("click", async () => {
  const copied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  toast(copied ? t("The link has been copied.") : location.href);
});
find("[data-embed-it]", page)?.addEventListener("click", async () => {
  const { openEmbedDialog } = await import("../core/embed_dialog.js");
  await openEmbedDialog({ id: room, status: "finished" });
});
/**
 * Show the game of an opened file, and shrink the file button.
 * @param {LoadedGame} loaded
 */
function showFile(loaded) {
  viewerSelect.replaceChildren();
  pause();
  find("[data-load]", page).hidden = true;
  const word = find("[data-load-word]", page);
  word.textContent = t("Choose another file");
  word.className = "button button-small";
  find(".replay-head", page).append(/** @type {HTMLElement} */ (word.parentElement));
  showGame(loaded, 0);
}
find("#record-file")?.addEventListener("change", async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const [file] = /** @type {FileList} */ (input.files);
  if (!file) return;
  // Allows choosing the same file again.
  input.value = "";
  await readRecord(file)
    .then((record) => loadRecord(record))
    .then(showFile)
    .catch(fail);
});
if (room)
  loadGame(room)
    .then((loaded) => showGame(loaded))
    .catch(fail);
