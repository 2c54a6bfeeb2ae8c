// Moves as arrows on the map: the turn that was played and a better one beside it. They differ by shape and number, not
// by colour: player colours are reserved for players.

/** @import {Arrow, GameEvent, Places, Point} from "../core/types.d.ts" */

import { svg } from "../core/dom.js";
import { isMove } from "../core/event_text.js";

// Distance between the tip and the centre of the landing place, in units.
const TIP_GAP = 20;
const HEAD_LENGTH = 26;

/**
 * Return the control point of the curve from a to b. `side` (1 or -1) chooses its side; later arrows bend more.
 * @param {Point} a
 * @param {Point} b
 * @param {number} side
 * @param {number} nth
 */
function controlPoint(a, b, side, nth) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const lift = Math.min(150, 46 + length / 6) + 22 * nth;
  // Independent of the direction of the move: played arrows bend upwards, better ones downwards.
  const across = b.x >= a.x ? side : -side;
  return {
    x: (a.x + b.x) / 2 + (across * lift * (b.y - a.y)) / length,
    y: (a.y + b.y) / 2 - (across * lift * (b.x - a.x)) / length,
  };
}

/**
 * @param {{ x: number, y: number }} parts
 * @param {number} n
 * @param {Arrow["kind"]} kind
 */
function drawBadge({ x, y }, n, kind) {
  const shape =
    kind === "better"
      ? svg("rect", { x: x - 13, y: y - 13, width: 26, height: 26, rx: 3, transform: `rotate(45 ${x} ${y})` })
      : svg("circle", { cx: x, cy: y, r: 16 });
  return [shape, svg("text", { x, y: y + 7 }, String(n))];
}

/**
 * @param {Arrow} arrow
 * @param {Places} places
 * @param {number} nth
 */
function drawArrow({ from, to, kind, n }, places, nth) {
  const a = places.get(from);
  const b = places.get(to);
  if (!a || !b || from === to) return null;
  const control = controlPoint(a, b, kind === "better" ? -1 : 1, nth);
  const distance = Math.hypot(b.x - control.x, b.y - control.y) || 1;
  const [ux, uy] = [(b.x - control.x) / distance, (b.y - control.y) / distance];
  const tip = { x: b.x - ux * TIP_GAP, y: b.y - uy * TIP_GAP };
  const neck = { x: tip.x - ux * HEAD_LENGTH, y: tip.y - uy * HEAD_LENGTH };
  const d = `M${a.x} ${a.y}Q${control.x} ${control.y} ${neck.x} ${neck.y}`;
  const head = `M${tip.x} ${tip.y}L${neck.x - uy * 16} ${neck.y + ux * 16}L${neck.x + uy * 16} ${neck.y - ux * 16}Z`;
  const middle = { x: (a.x + 2 * control.x + neck.x) / 4, y: (a.y + 2 * control.y + neck.y) / 4 };
  return svg(
    "g",
    { class: `arrow ${kind}` },
    svg("path", { class: "arrow-edge", d }),
    svg("path", { class: "arrow-way", d }),
    svg("path", { class: "arrow-head", d: head }),
    ...drawBadge(middle, n, kind),
  );
}

const CONSEQUENCE_EVENTS = new Set([
  "cards_drawn",
  "deck_shuffled",
  "row_laid",
  "choice_dealt",
  "snake_struck",
  "chests_laid",
  "discard_owed",
  "cards_discarded",
]);

/**
 * Group the events of a turn by action. An event that follows from an action belongs to it; ending the turn is left out.
 * @param {GameEvent[]} events
 */
export function groupByAction(events) {
  /** @type {GameEvent[][]} */
  const actions = [];
  for (const event of events.filter(({ type }) => type !== "turn_passed" && type !== "game_won")) {
    if (CONSEQUENCE_EVENTS.has(event.type) && actions.length) actions[actions.length - 1].push(event);
    else actions.push([event]);
  }
  return actions;
}

/**
 * Return the arrows of a turn, each with the number of its action.
 * @param {GameEvent[]} events
 * @param {Arrow["kind"]} kind
 */
export function turnArrows(events, kind) {
  return groupByAction(events).flatMap((action, at) =>
    action.filter(isMove).map(({ from, to }) => ({ from, to, kind, n: at + 1 })),
  );
}

/**
 * Draw arrows into a layer. Arrows with the same ends fan out.
 * @param {SVGElement} layer
 * @param {Arrow[]} arrows
 * @param {Places} places
 */
export function drawArrows(layer, arrows, places) {
  const arrowCounts = new Map();
  for (const arrow of arrows) {
    const key = `${arrow.kind} ${arrow.from} ${arrow.to}`;
    const nth = arrowCounts.get(key) ?? 0;
    arrowCounts.set(key, nth + 1);
    const node = drawArrow(arrow, places, nth);
    if (node) layer.append(node);
  }
}
