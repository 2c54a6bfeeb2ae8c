// The plot of a player's rating in one pool: a line with its band of uncertainty, read point by point with the arrow keys,
// by touch or with the pointer, and as a table.

/** @import {RatingPoint} from "../core/types.d.ts" */

import { el, setChildren, svg } from "../core/dom.js";
import { language, t } from "../core/i18n.js";

const HEIGHT_PX = 180;
const LEFT_MARGIN = 48;
const RIGHT_MARGIN = 10;
const TOP_MARGIN = 14;
const BOTTOM_MARGIN = 12;
const PAGE_POINTS = 10; // that Page Up and Page Down skip
/** Distances between two lines of the scale. */
const STEPS = [25, 50, 100, 200, 250, 500, 1000];
const MAX_LINES = 4;

/**
 * Return the numbers at the lines of a scale that contains `low` and `high`.
 * @param {number} low
 * @param {number} high
 */
export function scaleLines(low, high) {
  const step = STEPS.find((each) => Math.ceil(high / each) - Math.floor(low / each) <= MAX_LINES) ?? 2000;
  const first = Math.floor(low / step);
  const last = Math.max(Math.ceil(high / step), first + 1);
  return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
}

/**
 * Create the plot with a sentence about the chosen point and a table of all points. Points are evenly spaced: one after
 * the other, whatever time lies between them.
 * @param {RatingPoint[]} points
 * @param {number} width
 * @param {string} label
 */
export function RatingPlot(points, width, label) {
  const last = points.length - 1;
  const numbers = points.map(({ number }) => number);
  // The band is cut off where it is wider than at the end: first ratings are very uncertain.
  const { deviation: band } = points[last];
  const lines = scaleLines(Math.min(...numbers) - band, Math.max(...numbers) + band);
  const [low, high] = [lines[0], lines[lines.length - 1]];
  const dates = new Intl.DateTimeFormat(language(), { dateStyle: "medium" });
  let current = last;
  /** @param {number} n */
  const x = (n) => LEFT_MARGIN + (last ? n / last : 1) * (width - LEFT_MARGIN - RIGHT_MARGIN);
  /** @param {number} number */
  const y = (number) => {
    const share = (Math.min(Math.max(number, low), high) - low) / (high - low);
    return TOP_MARGIN + (1 - share) * (HEIGHT_PX - TOP_MARGIN - BOTTOM_MARGIN);
  };
  /** @param {RatingPoint} point */
  const textOf = ({ at, number, deviation }) =>
    t("{day}: {number} ± {deviation}", { day: dates.format(new Date(at)), number, deviation });

  const said = el("p.rating-said", { "aria-hidden": "true" });
  const cursor = svg("line", { class: "cursor", y1: TOP_MARGIN, y2: HEIGHT_PX - BOTTOM_MARGIN });
  const dot = svg("circle", { class: "rating-dot", r: 5 });
  const picture = svg("svg", {
    class: "rating-plot",
    viewBox: `0 0 ${width} ${HEIGHT_PX}`,
    role: "slider",
    tabindex: 0,
    "aria-label": label,
    "aria-valuemin": 1,
    "aria-valuemax": last + 1,
  });
  for (const number of lines) {
    picture.append(
      svg("line", {
        class: "axis",
        x1: LEFT_MARGIN,
        x2: width - RIGHT_MARGIN,
        y1: y(number),
        y2: y(number),
      }),
      svg(
        "text",
        { class: "tick", x: LEFT_MARGIN - 6, y: y(number) + 4, "text-anchor": "end" },
        String(number),
      ),
    );
  }
  /** @param {(point: RatingPoint) => number} numberOf */
  const corners = (numberOf) =>
    points.map((point, n) => `${x(n).toFixed(1)} ${y(numberOf(point)).toFixed(1)}`);
  const upper = corners(({ number, deviation }) => number + deviation);
  const lower = corners(({ number, deviation }) => number - deviation).reverse();
  picture.append(
    svg("path", { class: "rating-band", d: `M${[...upper, ...lower].join("L")}Z` }),
    svg("path", { class: "rating-line", d: `M${corners(({ number }) => number).join("L")}` }),
    cursor,
    dot,
  );

  /** @param {number} n */
  function show(n) {
    current = Math.min(Math.max(n, 0), last);
    const point = points[current];
    cursor.setAttribute("x1", String(x(current)));
    cursor.setAttribute("x2", String(x(current)));
    dot.setAttribute("cx", String(x(current)));
    dot.setAttribute("cy", String(y(point.number)));
    said.textContent = textOf(point);
    picture.setAttribute("aria-valuenow", String(current + 1));
    picture.setAttribute("aria-valuetext", textOf(point));
  }

  /** @param {PointerEvent} event */
  function onPointer(event) {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    show(Math.round(((at - LEFT_MARGIN) / (width - LEFT_MARGIN - RIGHT_MARGIN)) * last));
  }
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    onPointer(event);
  });
  picture.addEventListener(
    "pointermove",
    (event) =>
      (event.pointerType === "mouse" || picture.hasPointerCapture(event.pointerId)) && onPointer(event),
  );
  picture.addEventListener("keydown", (event) => {
    const to = {
      ArrowLeft: current - 1,
      ArrowDown: current - 1,
      ArrowRight: current + 1,
      ArrowUp: current + 1,
      Home: 0,
      End: last,
      PageDown: current - PAGE_POINTS,
      PageUp: current + PAGE_POINTS,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(to);
  });
  show(last);
  return el("div.rating-history", {}, picture, said, PointTable(points, dates));
}

/**
 * Create the table of all points, latest first. Its rows are made when it is opened.
 * @param {RatingPoint[]} points
 * @param {Intl.DateTimeFormat} dates
 */
function PointTable(points, dates) {
  const rows = el("tbody");
  const details = el(
    "details.more",
    {},
    el("summary", {}, t("Show as a table")),
    el(
      "table.results",
      {},
      el(
        "thead",
        {},
        el("tr", {}, el("th", { scope: "col" }, t("Day")), el("th", { scope: "col" }, t("Rating"))),
      ),
      rows,
    ),
  );
  details.addEventListener("toggle", () => {
    if (!details.open || rows.childElementCount) return;
    setChildren(
      rows,
      ...points
        .map(({ at, number, deviation }) =>
          el("tr", {}, el("td", {}, dates.format(new Date(at))), el("td", {}, `${number} ± ${deviation}`)),
        )
        .reverse(),
    );
  });
  return details;
}
