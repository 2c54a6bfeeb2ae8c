// The pirates on the board: where each figure stands and how it walks there.

/** @import {GameEvent, Place, PlaceOnMap, Places, SeatLooks, View} from "../core/types.d.ts" */

import { svg } from "../core/dom.js";
import { pirateParts } from "../core/icons.js";
import { letterOf, lookOf } from "../core/names.js";
import { walk } from "./animate.js";
import { figureOffsets, groupOffsets } from "./layout.js";

/**
 * The figure of one pirate. `cameFrom`: its place in the previous view, if it has moved.
 * @typedef {{ node: SVGElement, place: Place | null, cameFrom?: Place | null, x: number, y: number }} Figure
 */

// A figure is 40 × 60 units, a tile 100.
const FIGURE_SCALE = 1.08;
/** @param {Place} place */
const isLandmark = (place) => typeof place !== "number";

/** @param {SVGElement} layer */
export function Pieces(layer) {
  /** @type {Figure[][]} By seat. */
  let figures = [];
  const counts = svg("g", { class: "counts" });

  function clear() {
    figures = [];
    layer.replaceChildren();
  }

  /**
   * Create a figure for every pirate. Figures of one colour are interchangeable.
   * @param {View} view
   * @param {SeatLooks} seats
   */
  function createFigures(view, seats) {
    figures = view.players.map((player, seat) => {
      const look = lookOf(seats, seat);
      return player.pirates.map(() => {
        const inner = svg("g", { transform: "translate(-20 -56)" }, ...pirateParts(look, letterOf(look)));
        const node = svg("g", { class: `figure look-${look}` }, inner);
        layer.append(node);
        return { node, place: null, x: 0, y: 0 };
      });
    });
    layer.append(counts);
  }

  /**
   * Assign the places of the view to the figures, moving as few as possible.
   * @param {View} view
   */
  function assignPlaces(view) {
    view.players.forEach((player, seat) => {
      const freePlaces = [...player.pirates];
      const unplaced = [];
      for (const figure of figures[seat]) {
        const at = freePlaces.indexOf(/** @type {Place} */ (figure.place));
        if (at < 0) unplaced.push(figure);
        else freePlaces.splice(at, 1);
      }
      unplaced.forEach((figure, at) => {
        figure.cameFrom = figure.place;
        figure.place = freePlaces[at];
      });
    });
  }

  /**
   * @param {View} view
   * @param {SeatLooks} seats
   * @param {Places} places
   * @param {Place[]} line
   * @param {GameEvent[]} events
   * @param {number | null} sailing
   */
  function show(view, seats, places, line, events, sailing) {
    if (figures.length !== view.players.length) {
      layer.replaceChildren();
      createFigures(view, seats);
    }
    for (const figure of figures.flat()) figure.cameFrom = undefined;
    assignPlaces(view);
    counts.replaceChildren();
    const walks = [];
    for (const place of line) walks.push(...settlePlace(place, places, line, events, view.winner));
    for (const [place, { group }] of places) {
      group.classList.toggle(
        "taken",
        !isLandmark(place) && figures.flat().some((figure) => figure.place === place),
      );
    }
    for (const figure of figures.flat())
      figure.node.classList.toggle("sail-with-figure", figure.place === "sloop");
    sortByDepth();
    if (sailing)
      for (const figure of figures.flat())
        if (figure.place === "sloop")
          walk(
            figure.node,
            [
              [figure.x + sailing, figure.y],
              [figure.x, figure.y],
            ],
            { scale: FIGURE_SCALE },
          );
    return Promise.all(walks);
  }

  /**
   * @param {Place} place
   * @param {Places} places
   * @param {Place[]} line
   * @param {GameEvent[]} events
   * @param {number | null} winner
   */
  function settlePlace(place, places, line, events, winner) {
    /** @type {Promise<void>[]} */
    const walks = [];
    const { x, y } = /** @type {PlaceOnMap} */ (places.get(place));
    const groups = figures
      .map((own, seat) => ({ seat, own: own.filter((figure) => figure.place === place) }))
      .filter(({ own }) => own.length);
    if (isLandmark(place)) {
      const isCheering = place === "goal" && groups.some(({ seat }) => seat === winner);
      groupOffsets(groups.length).forEach(({ dx, dy }, at) => {
        const { seat, own } = groups[at];
        if (isCheering && seat === winner) {
          walks.push(...lineUp(own, x, y, places, line, events));
          return;
        }
        own.forEach((figure, order) =>
          walks.push(placeFigure(figure, x + dx, y + dy, places, line, events, order)),
        );
        // The others stand behind the winner's crew, where their count would be misread.
        if (own.length > 1 && !isCheering) counts.append(countBadge(x + dx, y + dy, own.length));
      });
    } else {
      const all = groups.flatMap(({ own }) => own);
      figureOffsets(all.length).forEach(({ dx, dy }, at) =>
        walks.push(placeFigure(all[at], x + dx, y + dy, places, line, events, 0)),
      );
    }
    return walks;
  }

  /**
   * Place the winner's crew side by side, in front of all others.
   * @param {Figure[]} crew
   * @param {number} x
   * @param {number} y
   * @param {Places} places
   * @param {Place[]} line
   * @param {GameEvent[]} events
   */
  function lineUp(crew, x, y, places, line, events) {
    const gap = Math.min(34, 170 / crew.length);
    return crew.map((figure, at) =>
      placeFigure(figure, x + (at - (crew.length - 1) / 2) * gap, y + 46, places, line, events, 0),
    );
  }

  /**
   * @param {Figure} figure
   * @param {number} x
   * @param {number} y
   * @param {Places} places
   * @param {Place[]} line
   * @param {GameEvent[]} events
   * @param {number} order
   */
  function placeFigure(figure, x, y, places, line, events, order) {
    const { node, cameFrom } = figure;
    node.setAttribute("transform", `translate(${x} ${y}) scale(${FIGURE_SCALE})`);
    node.classList.toggle("beneath", order > 0);
    const old = [figure.x, figure.y];
    Object.assign(figure, { x, y });
    if (cameFrom === undefined || cameFrom === null || events.length === 0) return Promise.resolve();
    return walk(
      node,
      [old, ...waypoints(cameFrom, /** @type {Place} */ (figure.place), places, line), [x, y]],
      {
        scale: FIGURE_SCALE,
      },
    );
  }

  /**
   * Return points on the road between two places, so that a figure follows the road.
   * @param {Place} from
   * @param {Place} to
   * @param {Places} places
   * @param {Place[]} line
   */
  function waypoints(from, to, places, line) {
    const a = line.indexOf(from);
    const b = line.indexOf(to);
    const step = a < b ? 1 : -1;
    const road = [];
    for (let at = a + step; at !== b && at >= 0 && at < line.length; at += step) {
      const { x, y } = /** @type {PlaceOnMap} */ (places.get(line[at]));
      road.push([x, y + 30]);
    }
    const every = Math.max(1, Math.ceil(road.length / 10));
    return road.filter((_, at) => at % every === 0);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} count
   */
  function countBadge(x, y, count) {
    const text = svg("text", { x: x + 15, y: y - 51 });
    text.textContent = String(count);
    return svg("g", { class: "count" }, svg("circle", { cx: x + 15, cy: y - 57, r: 14 }), text);
  }

  /** Draw figures that are lower on the map later, and the counts last. */
  function sortByDepth() {
    const sorted = figures.flat().sort((a, b) => a.y - b.y);
    for (const { node } of sorted) layer.append(node);
    layer.append(counts);
  }

  /**
   * Return the figures of a seat at the goal, with their positions.
   * @param {number} seat
   */
  const crew = (seat) =>
    figures[seat]
      .filter(({ place }) => place === "goal")
      .map(({ node, x, y }) => ({ node, x, y, scale: FIGURE_SCALE }));

  return { show, clear, crew };
}
