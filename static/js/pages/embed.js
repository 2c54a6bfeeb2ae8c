// A table embedded in another site, as a spectator sees it: live, optionally with a delay, or as a replay. Requests are
// sent without cookies, so the viewer is always anonymous.

/** @import {Card, EmbedState, EmbedChange, TableState, View} from "../core/types.d.ts" */

/** @import {StepName} from "./embed_player.js" */

import { Board } from "../board/board.js";
import { el, find, findAll, setChildren, svg, targetOf } from "../core/dom.js";
import { describeEvents, describePending } from "../core/event_text.js";
import { t, tn } from "../core/i18n.js";
import { pirateIcon, symbolIcon } from "../core/icons.js";
import { cardCount, cardName, countByKind, letterOf, lookOf, presetName, seatName } from "../core/names.js";
import { formatRemaining, remainingMs } from "../table/clock.js";
import { LiveGame } from "./embed_live.js";
import { StepPlayer } from "./embed_player.js";
import { loadReplay } from "./embed_source.js";

const page = find("[data-embed]");
const room = String(page.dataset.room);
const wishes = Object.fromEntries(
  ["replay", "overlay", "controls"].map((name) => [name, page.dataset[name] === "1"]),
);
const delayMs = Number(page.dataset.delay) * 1000;
// Delay between the end of the game and the replay.
const REPLAY_AFTER_MS = 8000;
// Delay before an overlay follows to the rematch.
const FOLLOW_AFTER_MS = 10000;

const notice = find("[data-note]", page);
const players = find("[data-players]", page);
const picture = svg("svg");
setChildren(find("[data-board]", page), picture);
/** @type {ReturnType<typeof Board> | null} */
let board = null;
/** @type {HTMLElement[]} By seat. */
let clockElements = [];
/** @type {ReturnType<typeof LiveGame> | null} */
let liveGame = null;
/** @type {ReturnType<typeof StepPlayer> | null} */
let player = null;
let followTimer = 0;

/** @param {string} words */
function showNotice(words) {
  notice.textContent = words;
  notice.hidden = !words;
  if (words && !board) find("[data-board]", page).hidden = true;
}

/**
 * Return the status as the table page shows it to spectators.
 * @param {EmbedState} state
 */
function statusText({ table, view }) {
  if (!view) return table.status === "closed" ? t("This table is closed") : t("Before the game");
  if (view.winner !== null) return t("{name} has won!", { name: seatName(table.seats, view.winner) });
  if (table.status === "aborted") return t("Ended without a winner");
  if (table.status === "finished") return t("Everyone has resigned.");
  if (view.pending) return describePending(view.pending, table.seats);
  return t("It's {name}'s turn.", { name: seatName(table.seats, view.turn.seat) });
}

/** @param {Card[]} cards */
function OpenHand(cards) {
  const kinds = countByKind(cards).map(([card, n]) =>
    el(
      card.endsWith("*") ? "span.is-dark" : "span",
      { title: n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card) },
      ...Array.from({ length: n }, () => symbolIcon(card, "symbol")),
      el("span.hidden", {}, n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card)),
    ),
  );
  return el("span.embed-hand", {}, ...kinds);
}

/**
 * @param {EmbedState & { view: View }} state
 * @param {number} seat
 */
function PlayerRow({ table, view }, seat) {
  const look = lookOf(table.seats, seat);
  const player = view.players[seat];
  const isInTurn =
    view.winner === seat || (view.winner === null && table.status === "running" && view.turn.seat === seat);
  const home = player.pirates.filter((place) => place === "goal").length;
  const facts = [
    player.hand ? null : cardCount(/** @type {number} */ (player.cards)),
    t("{n} at the goal", { n: home }),
    player.resigned ? t("resigned") : null,
  ];
  const clock = el("span.embed-clock", { hidden: true });
  clockElements[seat] = clock;
  return el(
    isInTurn ? "li.embed-player.in-turn" : "li.embed-player",
    {},
    pirateIcon(look, letterOf(look)),
    el(
      "span.embed-who",
      {},
      el("span.embed-name", {}, seatName(table.seats, seat)),
      el("small.embed-facts", {}, facts.filter(Boolean).join(" · ")),
      player.hand ? OpenHand(player.hand) : null,
    ),
    clock,
  );
}

/**
 * Show a state of the game. `events` led to it from `before`, if it is the next step.
 * @param {EmbedState} state
 * @param {EmbedChange} [shownBy]
 */
function show(state, { events = [], before = null, by, text } = {}) {
  const { table, view } = state;
  const title = find("[data-title]", page);
  if (title) title.textContent = presetName(table.options.preset);
  document.title = `${presetName(table.options.preset)} · Cartagena`;
  const words = statusText(state);
  const line = find("[data-status]", page);
  if (line && line.textContent !== words) line.textContent = words;
  if (!view) {
    const there = table.seats.filter(({ person, bot }) => person || bot).length;
    showNotice(`${words}. ${tn("{n} player sits at the table.", "{n} players sit at the table.", there)}`);
    return;
  }
  showNotice("");
  find("[data-board]", page).hidden = false;
  board ??= Board(picture, { interactive: false, seats: table.seats, fit: "box" });
  board.set(view, events);
  clockElements = [];
  setChildren(players, ...view.players.map((_, seat) => PlayerRow({ table, view }, seat)));
  const sentence =
    text ?? (events.length && before ? describeEvents(events, before, table.seats, by).text : null);
  if (sentence !== null) find("[data-said]", page).textContent = sentence;
}

function showClocks() {
  if (!liveGame?.state?.clock || player) return;
  const { state, now } = liveGame;
  clockElements.forEach((box, seat) => {
    const left = state.table?.status === "running" ? remainingMs(state.clock, seat, now()) : null;
    box.hidden = left === null;
    if (left !== null) box.textContent = formatRemaining(left);
  });
}

/** @param {Error} problem */
function fail(problem) {
  if (problem?.name !== "NotShown") throw problem;
  showNotice(problem.message);
}

/** @param {"start" | "end"} at */
async function showReplay(at) {
  const game = await loadReplay(room);
  // A delayed embed must not show recent moves early.
  if (game.isRunning && delayMs) return;
  liveGame?.stop();
  player = StepPlayer(find("[data-deck]", page), game, { show, shouldAutoplay: !wishes.controls });
  find("[data-deck]", page).hidden = !wishes.controls;
  player.start(at === "end" ? player.last : 0);
}

/**
 * Schedule what follows the end of the live game: the rematch or the replay.
 * @param {Pick<TableState, "table">} state
 */
function scheduleFollowUp({ table }) {
  clearTimeout(followTimer);
  if (!["finished", "aborted"].includes(table.status)) return;
  if (wishes.overlay) {
    const { next } = table;
    if (next)
      followTimer = setTimeout(
        () => location.replace(`/embed/${encodeURIComponent(next)}${location.search}`),
        FOLLOW_AFTER_MS,
      );
  } else if (table.result) followTimer = setTimeout(() => showReplay("end").catch(fail), REPLAY_AFTER_MS);
}

function watch() {
  if (delayMs && !wishes.overlay)
    showNotice(
      tn(
        "The game is shown with a delay of {n} second.",
        "The game is shown with a delay of {n} seconds.",
        delayMs / 1000,
      ),
    );
  let isFirst = true;
  liveGame = LiveGame(room, delayMs, {
    onShow(state, change) {
      const isOver = isFirst && state.table.status === "finished" && !wishes.overlay;
      isFirst = false;
      show(state, change);
      if (isOver) showReplay("start").catch(fail);
      else scheduleFollowUp(state);
    },
    onClosed: showNotice,
  });
  setInterval(showClocks, 250);
}

if (wishes.replay && !delayMs) showReplay("start").catch(fail);
else watch();

addEventListener("keydown", (event) => {
  if (!player || !wishes.controls || event.ctrlKey || event.metaKey || event.altKey) return;
  if (targetOf(event).closest?.("input, a, button") && event.key === " ") return;
  if (targetOf(event).closest?.("input")) return;
  if (player.pressKey(event.key)) event.preventDefault();
});
for (const button of findAll("[data-go]", page))
  button.addEventListener("click", () => player?.press(/** @type {StepName} */ (button.dataset.go)));
