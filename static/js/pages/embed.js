// A frame in another site's page: a table as any spectator sees it, live (some seconds later, if its address says so)
// or as a replay. Nobody is signed in here: what is asked of the server is asked without cookies.

import { Board } from "../board/board.js";
import { el, find, findAll, put, svg } from "../core/dom.js";
import { eventLine, pendingText } from "../core/event_text.js";
import { pirateIcon, symbolIcon } from "../core/icons.js";
import { t, tn } from "../core/i18n.js";
import { byKind, cardCount, cardName, letterOf, lookOf, presetName, seatName } from "../core/names.js";
import { leftNow, spell } from "../table/clock.js";
import { Live } from "./embed_live.js";
import { loadReplay } from "./embed_source.js";
import { Steps } from "./steps.js";

const page = find("[data-embed]");
const { room } = page.dataset;
const wish = Object.fromEntries(["replay", "overlay", "controls"].map((name) => [name, page.dataset[name] === "1"]));
const delay = Number(page.dataset.delay) * 1000;
const REPLAY_AFTER = 8000; // so long the end stays as it is before one can go through the game
const FOLLOW_AFTER = 10000; // so long an overlay shows the end before it goes on to the rematch

const note = find("[data-note]", page);
const players = find("[data-players]", page);
const picture = svg("svg");
put(find("[data-board]", page), picture);
let board = null;
let clocks = []; // per seat: its element
let live = null;
let steps = null;
let later = 0;

function say(words) {
  note.textContent = words;
  note.hidden = !words;
  if (words && !board) find("[data-board]", page).hidden = true;
}

/** As the status line of the table says it to whoever watches. */
function status({ table, view }) {
  if (!view) return table.status === "closed" ? t("This table is closed") : t("Before the start");
  if (view.winner !== null) return t("{name} has won!", { name: seatName(table.seats, view.winner) });
  if (table.status === "aborted") return t("Ended without a winner");
  if (table.status === "finished") return t("Everybody has given up.");
  if (view.pending) return pendingText(view.pending, table.seats);
  return t("{name} is in turn", { name: seatName(table.seats, view.turn.seat) });
}

function hand(cards) {
  const kinds = byKind(cards).map(([card, n]) =>
    el(
      card.endsWith("*") ? "span.is-dark" : "span",
      { title: n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card) },
      ...Array.from({ length: n }, () => symbolIcon(card, "symbol")),
      el("span.hidden", {}, n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card)),
    ),
  );
  return el("span.embed-hand", {}, ...kinds);
}

function playerRow({ table, view }, seat) {
  const look = lookOf(table.seats, seat);
  const player = view.players[seat];
  const isInTurn = view.winner === seat || (view.winner === null && table.status === "running" && view.turn.seat === seat);
  const home = player.pirates.filter((place) => place === "goal").length;
  const facts = [player.hand ? null : cardCount(player.cards), t("{n} home", { n: home }), player.resigned ? t("gave up") : null];
  const clock = el("span.embed-clock", { hidden: true });
  clocks[seat] = clock;
  return el(
    isInTurn ? "li.embed-player.in-turn" : "li.embed-player",
    {},
    pirateIcon(look, letterOf(look)),
    el("span.embed-who", {}, el("span.embed-name", {}, seatName(table.seats, seat)), el("small.embed-facts", {}, facts.filter(Boolean).join(" · ")), player.hand ? hand(player.hand) : null),
    clock,
  );
}

/** Show a state of the game; `events` led to it from `before`, if it is one move on. */
function show(state, { events = [], before = null, by, said } = {}) {
  const { table, view } = state;
  const title = find("[data-title]", page);
  if (title) title.textContent = presetName(table.options.preset);
  document.title = `${presetName(table.options.preset)} · Cartagena`;
  const words = status(state);
  const line = find("[data-status]", page);
  if (line && line.textContent !== words) line.textContent = words;
  if (!view) {
    const there = table.seats.filter(({ person, bot }) => person || bot).length;
    say(`${words}. ${tn("{n} player sits at the table.", "{n} players sit at the table.", there)}`);
    return;
  }
  say("");
  find("[data-board]", page).hidden = false;
  board ??= Board(picture, { interactive: false, seats: table.seats, fit: "box" });
  board.set(view, events);
  clocks = [];
  put(players, ...view.players.map((_, seat) => playerRow(state, seat)));
  const told = said ?? (events.length && before ? eventLine(events, before, table.seats, by).text : null);
  if (told !== null) find("[data-said]", page).textContent = told;
}

function showClocks() {
  if (!live?.state?.clock || steps) return;
  const { state } = live;
  clocks.forEach((box, seat) => {
    const left = state.table.status === "running" ? leftNow(state.clock, seat, live.now()) : null;
    box.hidden = left === null;
    if (left !== null) box.textContent = spell(left);
  });
}

function fail(problem) {
  if (problem?.name !== "NotShown") throw problem;
  say(problem.message);
}

async function toReplay(at) {
  const game = await loadReplay(room);
  if (game.isRunning && delay) return; // what has happened until now must not be seen before its time
  live?.stop();
  steps = Steps(find("[data-deck]", page), game, { show, isPlayingByItself: !wish.controls });
  find("[data-deck]", page).hidden = !wish.controls;
  steps.begin(at === "end" ? steps.last : 0);
}

/** Something was shown of the live game: what comes after its end. */
function afterShown({ table }) {
  clearTimeout(later);
  if (!["finished", "aborted"].includes(table.status)) return;
  if (wish.overlay) {
    if (table.next) later = setTimeout(() => location.replace(`/embed/${encodeURIComponent(table.next)}${location.search}`), FOLLOW_AFTER);
  } else if (table.result) later = setTimeout(() => toReplay("end").catch(fail), REPLAY_AFTER);
}

function watch() {
  if (delay && !wish.overlay) say(tn("The game is shown {n} second later than it is played.", "The game is shown {n} seconds later than it is played.", delay / 1000));
  let isFirst = true;
  live = Live(room, delay, {
    onShow(state, change) {
      const isOver = isFirst && state.table.status === "finished" && !wish.overlay;
      isFirst = false;
      show(state, change);
      if (isOver) toReplay("start").catch(fail);
      else afterShown(state);
    },
    onClosed: say,
  });
  setInterval(showClocks, 250);
}

if (wish.replay && !delay) toReplay("start").catch(fail);
else watch();

addEventListener("keydown", (event) => {
  if (!steps || !wish.controls || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, a, button") && event.key === " ") return;
  if (event.target.closest?.("input")) return;
  if (steps.key(event.key)) event.preventDefault();
});
for (const button of findAll("[data-go]", page)) button.addEventListener("click", () => steps?.press(button.dataset.go));
