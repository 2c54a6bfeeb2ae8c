// The review page: the curve of chances, what luck and choices did, and turns that would have been better.
import { percent, t } from "../core/i18n.js";
import { eventLine } from "../core/event_text.js";
import { lookOf, seatName } from "../core/names.js";
import { get, Refused } from "../core/api.js";
import { el, find, put, svg } from "../core/dom.js";
import { refusal } from "../core/refusals.js";

const page = find("[data-review]");
const room = page.dataset.room;
// A phone gets a narrower picture instead of a smaller one, so that its figures can be read.
const WIDTH = page.clientWidth < 560 ? 380 : 720;
const HEIGHT = 260;
const EDGE = 46;

const points = (share) => Math.round(share * 100);
const signed = (share) => `${share > 0 ? "+" : share < 0 ? "−" : "±"}${Math.abs(points(share))}`;

function curve(review, seats) {
  const steps = [review.start, ...review.turns.map((turn) => turn.chances)];
  const x = (n) => EDGE + (n / Math.max(1, steps.length - 1)) * (WIDTH - EDGE - 8);
  const y = (share) => 8 + (1 - share) * (HEIGHT - 28);
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("Chance to win") });
  for (const share of [0, 0.5, 1]) {
    chart.append(svg("line", { class: "axis", x1: EDGE, x2: WIDTH - 8, y1: y(share), y2: y(share) }));
    chart.append(svg("text", { class: "tick", x: 2, y: y(share) + 4 }, percent(share)));
  }
  for (const turn of review.turning_points) chart.append(svg("line", { class: "point", x1: x(turn), x2: x(turn), y1: 8, y2: HEIGHT - 20 }));
  review.start.forEach((_, seat) => {
    const line = steps.map((chances, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(chances[seat]).toFixed(1)}`).join("");
    chart.append(svg("path", { class: `review-seat-${lookOf(seats, seat)}`, d: line }));
  });
  return chart;
}

function legend(review, seats) {
  return review.start.map((_, seat) => {
    const sample = svg("svg", { viewBox: "0 0 40 10", "aria-hidden": "true" }, svg("line", { class: `review-seat-${lookOf(seats, seat)}`, x1: 0, x2: 40, y1: 5, y2: 5 }));
    return el("li", {}, sample, " ", seatName(seats, seat));
  });
}

function sums(review, seats) {
  return review.start.map((_, seat) => el("tr", {},
    el("th", { scope: "row" }, seatName(seats, seat)),
    el("td", {}, signed(review.luck[seat])),
    el("td", {}, String(points(review.loss[seat]))),
    el("td", {}, String(review.hints[seat])),
  ));
}

function turnItem(turn, review, seats) {
  const name = seatName(seats, turn.seat);
  const view = { options: { scenario: review.scenario } };
  const isPoint = review.turning_points.includes(turn.turn);
  return el("li", { "data-first": String(turn.first_step) },
    el("p", {},
      el("strong", {}, t("Turn {n}: {name}", { n: turn.turn, name })), " · ",
      t("chance {percent}", { percent: percent(turn.chances[turn.seat]) }),
      isPoint ? el("strong", {}, ` · ${t("turning point")}`) : null, " · ",
      el("a", { href: `/g/${room}/replay?step=${turn.first_step}` }, t("Look at it"))),
    Math.abs(turn.luck) >= 0.02 ? el("p", {}, turn.luck > 0 ? t("The cards drawn were lucky: {points}.", { points: signed(turn.luck) }) : t("The cards drawn were unlucky: {points}.", { points: signed(turn.luck) })) : null,
    turn.better ? el("p", {}, t("Better, by {points} points:", { points: points(turn.loss) }), " ", eventLine(turn.better, view, seats).text) : null,
  );
}

function showTurns(review, seats, all) {
  const matters = (turn) => turn.better || Math.abs(turn.luck) >= 0.02 || review.turning_points.includes(turn.turn);
  put(find("[data-turns]", page), ...review.turns.filter((turn) => all || matters(turn)).map((turn) => turnItem(turn, review, seats)));
}

/** Whoever comes from a step of the replay is shown the turn it belongs to. */
function showStep(review, seats, step) {
  const turn = review.turns.findLast((each) => each.first_step <= step);
  if (!turn) return;
  find("[data-all]", page).checked = true;
  showTurns(review, seats, true);
  const item = find(`[data-first="${turn.first_step}"]`, page);
  item.setAttribute("aria-current", "step");
  item.scrollIntoView({ block: "center" });
  find("a", item).focus({ preventScroll: true });
}

async function show() {
  try {
    const { table } = await get(`/games/${room}`);
    if (!table.result) throw new Refused(409, "not_over", refusal("not_over", ""));
    const review = await get(`/games/${room}/review`);
    const { seats } = table;
    put(find("[data-curve]", page), curve(review, seats));
    put(find("[data-legend]", page), ...legend(review, seats));
    put(find("[data-sums]", page), ...sums(review, seats));
    showTurns(review, seats, false);
    find("[data-all]", page).addEventListener("change", (event) => showTurns(review, seats, event.target.checked));
    find("[data-stage]", page).hidden = false;
    const step = new URLSearchParams(location.search).get("step");
    if (step !== null) showStep(review, seats, Number(step) || 0);
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
