// The curve of winning chances as a slider, used by touch, drag or arrow keys.

/** @import {Review, SeatLooks} from "../core/types.d.ts" */

import { svg } from "../core/dom.js";
import { formatPercent, t } from "../core/i18n.js";
import { lookOf } from "../core/names.js";

const HEIGHT_PX = 230;
const LEFT_MARGIN = 46;
// Leaves room for the marks of turning points.
const TOP_MARGIN = 20;
const BOTTOM_MARGIN = 14;

/**
 * Curve(review, seats, width, {onTurn(n), textOf(n)}) -> {picture, show(n)}. Turn 0 is the start of the game.
 * @param {Review} review
 * @param {SeatLooks} seats
 * @param {number} width
 * @param {{ onTurn: (n: number) => void, textOf: (n: number) => string }} options
 */
export function Curve(review, seats, width, { onTurn, textOf }) {
  const steps = [review.start, ...review.turns.map((turn) => turn.chances)];
  const last = steps.length - 1;
  let current = 0;
  /** @param {number} n */
  const x = (n) => LEFT_MARGIN + (n / Math.max(1, last)) * (width - LEFT_MARGIN - 10);
  /** @param {number} share */
  const y = (share) => TOP_MARGIN + (1 - share) * (HEIGHT_PX - TOP_MARGIN - BOTTOM_MARGIN);
  const cursor = svg("line", { class: "cursor", y1: TOP_MARGIN - 4, y2: HEIGHT_PX - BOTTOM_MARGIN + 4 });
  const dots = review.start.map((_, seat) =>
    svg("circle", { class: `review-dot look-${lookOf(seats, seat)}`, r: 5 }),
  );
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${HEIGHT_PX}`,
    role: "slider",
    tabindex: 0,
    "aria-label": t("Chance of winning, turn by turn"),
    "aria-valuemin": 0,
    "aria-valuemax": last,
  });
  for (const share of [0, 0.5, 1]) {
    picture.append(
      svg("line", { class: "axis", x1: LEFT_MARGIN, x2: width - 10, y1: y(share), y2: y(share) }),
    );
    picture.append(svg("text", { class: "tick", x: 2, y: y(share) + 4 }, formatPercent(share)));
  }
  for (const turn of review.turning_points)
    picture.append(svg("path", { class: "point", d: `M${x(turn)} 14l-6-11h12z` }));
  review.start.forEach((_, seat) => {
    const line = steps
      .map((chances, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(chances[seat]).toFixed(1)}`)
      .join("");
    picture.append(svg("path", { class: `review-line review-seat-${lookOf(seats, seat)}`, d: line }));
  });
  picture.append(cursor, ...dots);

  /** @param {number} n */
  function show(n) {
    current = n;
    cursor.setAttribute("x1", String(x(n)));
    cursor.setAttribute("x2", String(x(n)));
    dots.forEach((dot, seat) => {
      dot.setAttribute("cx", String(x(n)));
      dot.setAttribute("cy", String(y(steps[n][seat])));
    });
    picture.setAttribute("aria-valuenow", String(n));
    picture.setAttribute("aria-valuetext", textOf(n));
  }

  /** @param {number} n */
  const go = (n) => {
    const to = Math.min(Math.max(n, 0), last);
    if (to !== current) onTurn(to);
  };

  /** @param {PointerEvent} event */
  function onPointer(event) {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    go(Math.round(((at - LEFT_MARGIN) / (width - LEFT_MARGIN - 10)) * last));
  }

  /**
   * Return the next or previous turning point, or the end of the game in that direction.
   * @param {number} side
   */
  const nextTurningPoint = (side) =>
    side > 0
      ? (review.turning_points.find((turn) => turn > current) ?? last)
      : (review.turning_points.findLast((turn) => turn < current) ?? 0);

  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    onPointer(event);
  });
  picture.addEventListener(
    "pointermove",
    (event) => picture.hasPointerCapture(event.pointerId) && onPointer(event),
  );
  picture.addEventListener("keydown", (event) => {
    const to = {
      ArrowLeft: current - 1,
      ArrowDown: current - 1,
      ArrowRight: current + 1,
      ArrowUp: current + 1,
      Home: 0,
      End: last,
      PageDown: nextTurningPoint(-1),
      PageUp: nextTurningPoint(1),
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(to);
  });
  return { picture, show };
}
