// The curve of chances, turn by turn: a picture that is a slider. Touch or drag it, or use the arrow keys.
import { percent, t } from "../core/i18n.js";
import { svg } from "../core/dom.js";
import { lookOf } from "../core/names.js";

const HEIGHT = 230;
const EDGE = 46;
const TOP = 20; // room for the marks of turning points
const BOTTOM = 14;

/** Curve(review, seats, width, {onTurn(n), textOf(n)}) -> {picture, show(n)}; turn 0 is the start of the game. */
export function Curve(review, seats, width, { onTurn, textOf }) {
  const steps = [review.start, ...review.turns.map((turn) => turn.chances)];
  const last = steps.length - 1;
  let now = 0;
  const x = (n) => EDGE + (n / Math.max(1, last)) * (width - EDGE - 10);
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const cursor = svg("line", { class: "cursor", y1: TOP - 4, y2: HEIGHT - BOTTOM + 4 });
  const dots = review.start.map((_, seat) => svg("circle", { class: `review-dot look-${lookOf(seats, seat)}`, r: 5 }));
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: "slider",
    tabindex: 0,
    "aria-label": t("Chance to win, turn by turn"),
    "aria-valuemin": 0,
    "aria-valuemax": last,
  });
  for (const share of [0, 0.5, 1]) {
    picture.append(svg("line", { class: "axis", x1: EDGE, x2: width - 10, y1: y(share), y2: y(share) }));
    picture.append(svg("text", { class: "tick", x: 2, y: y(share) + 4 }, percent(share)));
  }
  for (const turn of review.turning_points) picture.append(svg("path", { class: "point", d: `M${x(turn)} 14l-6-11h12z` }));
  review.start.forEach((_, seat) => {
    const line = steps.map((chances, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(chances[seat]).toFixed(1)}`).join("");
    picture.append(svg("path", { class: `review-line review-seat-${lookOf(seats, seat)}`, d: line }));
  });
  picture.append(cursor, ...dots);

  function show(n) {
    now = n;
    cursor.setAttribute("x1", x(n));
    cursor.setAttribute("x2", x(n));
    dots.forEach((dot, seat) => {
      dot.setAttribute("cx", x(n));
      dot.setAttribute("cy", y(steps[n][seat]));
    });
    picture.setAttribute("aria-valuenow", n);
    picture.setAttribute("aria-valuetext", textOf(n));
  }

  const go = (n) => {
    const to = Math.min(Math.max(n, 0), last);
    if (to !== now) onTurn(to);
  };

  function follow(event) {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    go(Math.round(((at - EDGE) / (width - EDGE - 10)) * last));
  }

  /** The turning point before or after; else the end of the game on that side. */
  const point = (side) =>
    side > 0 ? (review.turning_points.find((turn) => turn > now) ?? last) : (review.turning_points.findLast((turn) => turn < now) ?? 0);

  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    follow(event);
  });
  picture.addEventListener("pointermove", (event) => picture.hasPointerCapture(event.pointerId) && follow(event));
  picture.addEventListener("keydown", (event) => {
    const to = {
      ArrowLeft: now - 1,
      ArrowDown: now - 1,
      ArrowRight: now + 1,
      ArrowUp: now + 1,
      Home: 0,
      End: last,
      PageDown: point(-1),
      PageUp: point(1),
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(to);
  });
  return { picture, show };
}
