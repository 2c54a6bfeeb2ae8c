// The end of a won game on the map: the sloop casts off under the winner's flag, and the crew cheers on its deck.
// The still picture is drawn first; where motion is welcome, it comes to life once.

import { put, svg } from "../core/dom.js";
import { use } from "../core/icons.js";
import { letterOf, lookOf } from "../core/names.js";
import { play } from "./animate.js";

const AWAY = 56; // how far from the quay the sloop lies when it has cast off
const SAILING = 2600; // milliseconds
const MARGIN = 128; // half a sloop: it stays on the map

/** Which way is off the quay: away from the last tile of the road. */
function course({ goal, spaces, width }) {
  const last = spaces[spaces.length - 1];
  const x = goal.x + (goal.x < last.x ? -AWAY : AWAY);
  return { dx: Math.min(Math.max(x, MARGIN), width - MARGIN) - goal.x, dy: 10 };
}

/** A flag at the mast, in the winner's colour and with its letter: the colour is not all that tells. */
function flag(x, y, look) {
  return svg(
    "g",
    { class: `victory-flag look-${look}`, transform: `translate(${x} ${y})` },
    svg("path", { d: "M0 0c26-10 40 10 66 0v40c-26 10-40-10-66 0z" }),
    svg("text", { x: 33, y: 29 }, letterOf(look)),
  );
}

const THROWN = [
  [-100, -40, -24],
  [-58, -84, 16],
  [82, -88, -12],
  [114, -46, 28],
];

/** The hats that the crew has thrown up; none where the flag flies. */
const hats = (x, y, thrown = THROWN) =>
  thrown.map(([dx, dy, turn]) =>
    svg(
      "g",
      { class: "victory-hat", transform: `translate(${x + dx} ${y + dy}) rotate(${turn})` },
      use("symbols", "symbol-hat", { x: -19, y: -19, width: 38, height: 38 }),
    ),
  );

/** The way of a boat that rolls: it comes from `dx`, `dy` away, and turns a little round its keel. */
function rolling(dx, dy) {
  return Array.from({ length: 13 }, (_, at) => {
    const part = at / 12;
    const left = (1 - part) ** 2;
    return { transform: `translate(${-dx * left}px, ${-dy * left}px) rotate(${3.2 * Math.sin(at * 1.57) * (1 - part / 2)}deg)` };
  });
}

/** A sloop that comes into the bay for them, where the goal is none itself. */
const comingSloop = (x, y) =>
  svg(
    "g",
    {},
    svg(
      "g",
      { class: "sail-with" },
      use("scenery", "sloop", { x: x - 70, y: y - 62, width: 140, height: 110 }),
      use("scenery", "sloop-front", { x: x - 70, y: y - 62, width: 140, height: 110 }),
    ),
  );

/**
 * Victory(back, front) -> {show(view, seats, plan, boat), hide(), celebrate(crew, carried)}: layers behind and before the pirates.
 * `boat`: the parts of the sloop at the goal, or none where the goal is a bay.
 */
export function Victory(back, front) {
  let moving = [];
  let at = null;

  function hide() {
    put(back);
    put(front);
    for (const part of moving) part.removeAttribute("transform");
    moving = [];
  }

  return {
    hide,
    /** The still picture; gives how far everybody at the goal is carried along. */
    show(view, seats, plan, boat) {
      hide();
      const look = lookOf(seats, view.winner);
      const { dx, dy } = course(plan);
      const { x, y } = plan.goal;
      at = { x, y, dx, dy, turned: boat.length > 0 && dx < 0 };
      if (boat.length) {
        moving = boat;
        // drawn with the bow to the right: whoever sails to the left is turned round
        const turned = dx < 0 ? `translate(${2 * x + dx} ${dy}) scale(-1 1)` : `translate(${dx} ${dy})`;
        for (const part of boat) part.setAttribute("transform", turned);
        put(front, flag(x + dx + (dx < 0 ? 10 : -10), y + dy - 112, look), ...hats(x + dx, y + dy - 20));
        return { dx, dy };
      }
      const sloop = comingSloop(x + dx, y - 26);
      moving = [sloop];
      put(back, sloop);
      put(front, flag(x + dx - 7, y - 96, look), ...hats(x, y - 20, THROWN.filter(([side]) => side * dx < 0)));
      return { dx: 0, dy: 0 };
    },
    /** Once, after the last pirate has come home; resolves when all is still again. */
    celebrate(crew, carried) {
      const origin = `${at.x}px ${at.y + 60}px`;
      const sails = moving.map((part) => {
        const inner = part.querySelector(".sail-with");
        inner.style.transformOrigin = origin;
        return play(inner, rolling(at.turned ? -at.dx : at.dx, at.dy), { duration: SAILING, easing: "linear" });
      });
      const cheers = crew.map(({ node, x, y, scale }, nth) => {
        const frames = Array.from({ length: 13 }, (_, k) => {
          const left = (1 - k / 12) ** 2;
          const hop = (k + nth) % 2 && k < 12 ? 24 : 0;
          return { transform: `translate(${x - carried.dx * left}px, ${y - carried.dy * left - hop}px) scale(${scale})` };
        });
        return play(node, frames, { duration: SAILING, easing: "linear" });
      });
      const thrown = [...front.querySelectorAll(".victory-hat > use")].map((hat, nth) =>
        play(hat, [{ transform: "translateY(90px)", opacity: 0 }, { transform: "translateY(-26px) rotate(140deg)", opacity: 1, offset: 0.55 }, { transform: "none" }], {
          duration: 1300,
          delay: 500 + 260 * nth,
          fill: "backwards",
        }),
      );
      const raised = play(front.querySelector(".victory-flag > path"), [{ transform: "scaleX(0)" }, { transform: "none" }], { duration: 700, delay: 200, fill: "backwards" });
      return Promise.all([...sails, ...cheers, ...thrown, raised]);
    },
  };
}
