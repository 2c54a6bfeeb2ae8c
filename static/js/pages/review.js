// The review page: your mistakes first, the curve of chances that moves the board, the better turn beside the one played,
// what luck and choices did, and a way to try again from any turn.
import { Board } from "../board/board.js";
import { actionsOf, arrowsOf } from "../board/arrows.js";
import { Refused } from "../core/api.js";
import { el, find, findAll, put, svg } from "../core/dom.js";
import { eventLine } from "../core/event_text.js";
import { viewsOf } from "../core/fold.js";
import { percent, t, tn } from "../core/i18n.js";
import { lookOf, seatName } from "../core/names.js";
import { points, signed } from "../core/points.js";
import { refusal } from "../core/refusals.js";
import { getOfGame } from "../core/password_door.js";
import { Curve } from "./review_curve.js";
import { fromRoom } from "./replay_source.js";

const page = find("[data-review]");
const room = page.dataset.room;
const MISTAKES = 3;
const LUCKY = 0.02;

let game = null; // {replay, seats, table, you}
let review = null;
let views = [];
let board = null;
let curve = null;
let now = 0;

const name = (seat) => seatName(game.seats, seat);
const line = (events, view) => eventLine(events, view, game.seats).text;
const playedIn = ({ first_step: from, step: to }) => game.replay.steps.slice(from, to).flatMap(({ events }) => events);
const isPoint = ({ turn }) => review.turning_points.includes(turn);

/** What the curve says of a turn, and what a screen reader hears of it. */
function spoken(n) {
  if (n === 0) return t("The start of the game.");
  const turn = review.turns[n - 1];
  const parts = [t("Turn {n}: {name}", { n, name: name(turn.seat) }), t("chance {percent}", { percent: percent(turn.chances[turn.seat]) })];
  if (isPoint(turn)) parts.push(t("turning point"));
  if (turn.better) parts.push(tn("{n} point given away", "{n} points given away", points(turn.loss)));
  return parts.join(", ");
}

/** A short piece of the arrow that stands for a turn on the map. */
const sample = (kind) =>
  svg("svg", { class: `arrow-sample ${kind}`, viewBox: "0 0 44 16", "aria-hidden": "true" }, svg("path", { class: "arrow-edge", d: "M3 8h26" }), svg("path", { class: "arrow-way", d: "M3 8h26" }), svg("path", { class: "arrow-head", d: "M41 8l-13-6v12z" }));

function luckLine({ luck }) {
  if (Math.abs(luck) < LUCKY) return null;
  const words = { points: signed(luck) };
  return el("p", {}, luck > 0 ? t("The cards drawn were lucky: {points}.", words) : t("The cards drawn were unlucky: {points}.", words));
}

/** Action by action, with the numbers that the arrows have. */
function moves(events, view) {
  const told = actionsOf(events).map((action) => el("li", {}, line(action, view)));
  return told.length ? el("ol", { class: "review-moves" }, ...told) : el("p", {}, t("Nothing."));
}

/** The turn in words: what was played, what would have been better, what luck did. */
function describe(n) {
  if (n === 0) return [el("p", {}, el("strong", {}, t("The start of the game.")))];
  const turn = review.turns[n - 1];
  const view = views[turn.first_step];
  return [
    el("p", {}, el("strong", {}, t("Turn {n}: {name}", { n, name: name(turn.seat) })), ` · ${t("chance {percent}", { percent: percent(turn.chances[turn.seat]) })}`, isPoint(turn) ? el("strong", {}, ` · ▼ ${t("turning point")}`) : null),
    el("p", {}, sample("played"), " ", el("b", {}, t("Played:"))),
    moves(playedIn(turn), view),
    turn.better ? el("p", {}, sample("better"), " ", el("b", {}, tn("Better, by {n} point:", "Better, by {n} points:", points(turn.loss)))) : null,
    turn.better ? moves(turn.better, view) : null,
    luckLine(turn),
  ];
}

/** Show a turn: the board as it stood before it, with both turns as arrows. */
function go(n, keepAddress = true) {
  now = n;
  const turn = n ? review.turns[n - 1] : null;
  const step = turn ? turn.first_step : 0;
  board.mark({});
  board.set(views[step]);
  if (turn) board.mark({ arrows: [...arrowsOf(playedIn(turn), "played"), ...arrowsOf(turn.better ?? [], "better")] });
  curve.show(n);
  put(find("[data-turn]", page), ...describe(n));
  for (const [seat, shown] of findAll("[data-chance]", page).entries()) shown.textContent = percent((turn?.chances ?? review.start)[seat]);
  find("[data-back]", page).disabled = n === 0;
  find("[data-on]", page).disabled = n === review.turns.length;
  for (const link of findAll("[data-at-step]", page)) link.href = `${link.dataset.atStep}?step=${step}`;
  for (const item of findAll("[data-first]", page)) {
    if (turn && Number(item.dataset.first) === step) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
  if (!keepAddress) return;
  const address = new URL(location.href);
  address.searchParams.set("step", String(step));
  history.replaceState(null, "", address);
}

/** From a list further down: the turn, and the stage in sight. */
function jump(n) {
  go(n);
  find("[data-stage-table]", page).scrollIntoView({ block: "start" });
  curve.picture.focus({ preventScroll: true });
}

function legend() {
  const items = review.start.map((_, seat) => {
    const mark = svg("svg", { viewBox: "0 0 40 10", "aria-hidden": "true" }, svg("line", { class: `review-line review-seat-${lookOf(game.seats, seat)}`, x1: 0, x2: 40, y1: 5, y2: 5 }));
    return el("li", {}, mark, " ", name(seat), " ", el("b", { "data-chance": "" }));
  });
  if (review.turning_points.length) items.push(el("li", {}, el("span", { "aria-hidden": "true" }, "▼ "), t("turning point")));
  return items;
}

/** The three turns of this person that gave most away, the worst first; of everybody for whoever watched. */
function mistakes() {
  const own = game.you?.seat ?? null;
  const found = review.turns.filter(({ seat, better }) => better && (own === null || seat === own));
  return found.sort((a, b) => b.loss - a.loss).slice(0, MISTAKES);
}

function showMistakes(found) {
  const own = game.you?.seat ?? null;
  const title = find("[data-mistakes-title]", page);
  if (own === null) title.textContent = t("The greatest mistakes");
  else title.textContent = found.length === MISTAKES ? t("Your three mistakes") : t("Your mistakes");
  if (!found.length) {
    put(find("[data-mistakes]", page), el("li", {}, t("No turn could have been much better. Well played!")));
    return;
  }
  put(find("[data-mistakes]", page), ...found.map((turn) => {
    const words = own === null ? t("Turn {n}: {name}", { n: turn.turn, name: name(turn.seat) }) : t("Turn {n}", { n: turn.turn });
    return el("li", {}, el("button", { type: "button", class: "mistake", onclick: () => jump(turn.turn) },
      el("strong", {}, words), el("span", { class: "mistake-loss" }, tn("{n} point given away", "{n} points given away", points(turn.loss)))));
  }));
}

function sums() {
  return review.start.map((_, seat) => el("tr", {},
    el("th", { scope: "row" }, name(seat)),
    el("td", {}, signed(review.luck[seat])),
    el("td", {}, String(points(review.loss[seat]))),
    el("td", {}, String(review.hints[seat])),
  ));
}

function turnItem(turn) {
  return el("li", { "data-first": String(turn.first_step) },
    el("p", {},
      el("button", { type: "button", class: "turn-button", onclick: () => jump(turn.turn) }, t("Turn {n}: {name}", { n: turn.turn, name: name(turn.seat) })), " · ",
      t("chance {percent}", { percent: percent(turn.chances[turn.seat]) }),
      isPoint(turn) ? el("strong", {}, ` · ${t("turning point")}`) : null),
    luckLine(turn),
    turn.better ? el("p", {}, tn("Better, by {n} point:", "Better, by {n} points:", points(turn.loss)), " ", line(turn.better, views[turn.first_step])) : null,
  );
}

function showTurns(all) {
  const matters = (turn) => turn.better || Math.abs(turn.luck) >= LUCKY || isPoint(turn);
  put(find("[data-turns]", page), ...review.turns.filter((turn) => all || matters(turn)).map(turnItem));
}

/** Where to begin: at the step that the address names, else at the worst mistake, else at the start. */
function beginning(worst) {
  const step = new URLSearchParams(location.search).get("step");
  if (step !== null) return review.turns.findLast((each) => each.first_step <= (Number(step) || 0))?.turn ?? 0;
  return worst?.turn ?? 0;
}

async function show() {
  try {
    game = await fromRoom(room);
    if (!game.table.result) throw new Refused(409, "not_over", refusal("not_over", ""));
    review = await getOfGame(room, "/review");
    views = viewsOf(game.replay, null);
    find("[data-stage]", page).hidden = false;
    const picture = svg("svg");
    put(find("[data-board]", page), picture);
    board = Board(picture, { interactive: false, seats: game.seats, fit: "box" });
    const box = find("[data-curve]", page);
    // A phone gets a narrower picture instead of a smaller one, so that its figures can be read.
    curve = Curve(review, game.seats, Math.max(320, Math.min(720, box.clientWidth)), { onTurn: go, textOf: spoken });
    put(box, curve.picture);
    put(find("[data-legend]", page), ...legend());
    put(find("[data-sums]", page), ...sums());
    const found = mistakes();
    showMistakes(found);
    showTurns(false);
    find("[data-all]", page).addEventListener("change", (event) => showTurns(event.target.checked));
    find("[data-back]", page).addEventListener("click", () => go(now - 1));
    find("[data-on]", page).addEventListener("click", () => go(now + 1));
    go(beginning(found[0]), false);
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    const notice = find("[data-problem]", page);
    notice.textContent = problem.message;
    notice.hidden = false;
  } finally {
    find("[data-waiting]", page).hidden = true;
  }
}

show();
