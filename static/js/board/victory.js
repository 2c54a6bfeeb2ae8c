// The end of a won game on the map: the sloop casts off under the winner's flag and the crew cheers on deck. The final
// picture is drawn first, then animated once.

/** @import {Plan, SeatLooks, View} from "../core/types.d.ts" */

import { find, setChildren, svg } from "../core/dom.js";
import { sprite } from "../core/icons.js";
import { letterOf, lookOf } from "../core/names.js";
import { animate } from "./animate.js";

// Distance of the sloop from the quay, in units.
const CAST_OFF_DISTANCE = 56;
const SAILING_MS = 2600;
// Half a sloop, which keeps it on the map.
const MARGIN = 128;

/**
 * Return how far the sloop moves: away from the last tile of the road.
 * @param {Plan} plan
 */
function castOffOffset({ goal, spaces, width }) {
  const last = spaces[spaces.length - 1];
  const x = goal.x + (goal.x < last.x ? -CAST_OFF_DISTANCE : CAST_OFF_DISTANCE);
  return { dx: Math.min(Math.max(x, MARGIN), width - MARGIN) - goal.x, dy: 10 };
}

/**
 * Draw a flag in the winner's colour and with its letter, so that colour is not the only sign.
 * @param {number} x
 * @param {number} y
 * @param {number} look
 */
function drawFlag(x, y, look) {
  return svg(
    "g",
    { class: `victory-flag look-${look}`, transform: `translate(${x} ${y})` },
    svg("path", { d: "M0 0c26-10 40 10 66 0v40c-26 10-40-10-66 0z" }),
    svg("text", { x: 33, y: 29 }, letterOf(look)),
  );
}

const HAT_OFFSETS = [
  [-100, -40, -24],
  [-58, -84, 16],
  [82, -88, -12],
  [114, -46, 28],
];

/**
 * Draw the hats that the crew has thrown. The offsets leave room for the flag.
 * @param {number} x
 * @param {number} y
 * @param {number[][]} [thrown]
 */
const drawHats = (x, y, thrown = HAT_OFFSETS) =>
  thrown.map(([dx, dy, angle]) =>
    svg(
      "g",
      { class: "victory-hat", transform: `translate(${x + dx} ${y + dy}) rotate(${angle})` },
      sprite("symbols", "symbol-hat", { x: -19, y: -19, width: 38, height: 38 }),
    ),
  );

/**
 * Return keyframes of a rolling boat that arrives from `dx`, `dy` away.
 * @param {number} dx
 * @param {number} dy
 */
function rollingFrames(dx, dy) {
  return Array.from({ length: 13 }, (_, at) => {
    const part = at / 12;
    const left = (1 - part) ** 2;
    return {
      transform: `translate(${-dx * left}px, ${-dy * left}px) rotate(${3.2 * Math.sin(at * 1.57) * (1 - part / 2)}deg)`,
    };
  });
}

/**
 * Draw a sloop that fetches the crew from the bay.
 * @param {number} x
 * @param {number} y
 */
const drawComingSloop = (x, y) =>
  svg(
    "g",
    {},
    svg(
      "g",
      { class: "sail-with" },
      sprite("scenery", "sloop", { x: x - 70, y: y - 62, width: 140, height: 110 }),
      sprite("scenery", "sloop-front", { x: x - 70, y: y - 62, width: 140, height: 110 }),
    ),
  );

/**
 * Victory(back, front) -> {show(view, seats, plan, boat), hide(), celebrate(crew, carried)}
 * `back` and `front` are the layers behind and in front of the pirates. `boat` has the parts of the sloop at the goal; it
 * is empty if the goal is a bay.
 * @param {SVGElement} back
 * @param {SVGElement} front
 */
export function Victory(back, front) {
  /** @type {SVGElement[]} */
  let moving = [];
  /** @type {{ x: number, y: number, dx: number, dy: number, isMirrored: boolean }} Set by show(). */
  let placement;

  function hide() {
    setChildren(back);
    setChildren(front);
    for (const part of moving) part.removeAttribute("transform");
    moving = [];
  }

  return {
    hide,
    /**
     * Draw the final picture and return how far the sloop carries the figures at the goal.
     * @param {View} view
     * @param {SeatLooks} seats
     * @param {Plan} plan
     * @param {SVGElement[]} boat
     */
    show(view, seats, plan, boat) {
      hide();
      const look = lookOf(seats, /** @type {number} */ (view.winner));
      const { dx, dy } = castOffOffset(plan);
      const { x, y } = plan.goal;
      placement = { x, y, dx, dy, isMirrored: boat.length > 0 && dx < 0 };
      if (boat.length) {
        moving = boat;
        // The bow points to the right, so a sloop that sails to the left is mirrored.
        const transform = dx < 0 ? `translate(${2 * x + dx} ${dy}) scale(-1 1)` : `translate(${dx} ${dy})`;
        for (const part of boat) part.setAttribute("transform", transform);
        setChildren(
          front,
          drawFlag(x + dx + (dx < 0 ? 10 : -10), y + dy - 112, look),
          ...drawHats(x + dx, y + dy - 20),
        );
        return { dx, dy };
      }
      const sloop = drawComingSloop(x + dx, y - 26);
      moving = [sloop];
      setChildren(back, sloop);
      setChildren(
        front,
        drawFlag(x + dx - 7, y - 96, look),
        ...drawHats(
          x,
          y - 20,
          HAT_OFFSETS.filter(([side]) => side * dx < 0),
        ),
      );
      return { dx: 0, dy: 0 };
    },
    /**
     * Animate the picture; resolves when everything has stopped.
     * @param {{ node: SVGElement, x: number, y: number, scale: number }[]} crew
     * @param {{ dx: number, dy: number }} carried
     */
    celebrate(crew, carried) {
      const origin = `${placement.x}px ${placement.y + 60}px`;
      const sails = moving.map((part) => {
        const inner = find(".sail-with", part);
        inner.style.transformOrigin = origin;
        return animate(
          inner,
          rollingFrames(placement.isMirrored ? -placement.dx : placement.dx, placement.dy),
          {
            duration: SAILING_MS,
            easing: "linear",
          },
        );
      });
      const cheers = crew.map(({ node, x, y, scale }, nth) => {
        const frames = Array.from({ length: 13 }, (_, k) => {
          const left = (1 - k / 12) ** 2;
          const hop = (k + nth) % 2 && k < 12 ? 24 : 0;
          return {
            transform: `translate(${x - carried.dx * left}px, ${y - carried.dy * left - hop}px) scale(${scale})`,
          };
        });
        return animate(node, frames, { duration: SAILING_MS, easing: "linear" });
      });
      const thrown = [...front.querySelectorAll(".victory-hat > use")].map((hat, nth) =>
        animate(
          hat,
          [
            { transform: "translateY(90px)", opacity: 0 },
            { transform: "translateY(-26px) rotate(140deg)", opacity: 1, offset: 0.55 },
            { transform: "none" },
          ],
          {
            duration: 1300,
            delay: 500 + 260 * nth,
            fill: "backwards",
          },
        ),
      );
      const raised = animate(
        find(".victory-flag > path", front),
        [{ transform: "scaleX(0)" }, { transform: "none" }],
        { duration: 700, delay: 200, fill: "backwards" },
      );
      return Promise.all([...sails, ...cheers, ...thrown, raised]);
    },
  };
}
