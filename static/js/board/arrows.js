// Moves as arrows on the map: a turn that was played, and beside it one that was not. Told apart by shape and number,
// in the map's own ink and paper: a player's colour means that player and nothing else.

import { svg } from "../core/dom.js";

const TIP = 20; // units before the middle of the landing place
const HEAD = 26;

/** The curve from a to b, bent to one side (1 or -1), a little more for each that leaves the same place. */
function bend(a, b, side, nth) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const lift = Math.min(150, 46 + length / 6) + 22 * nth;
  // always to the same side of the map, whichever way the move goes: played above, better below
  const across = b.x >= a.x ? side : -side;
  return { x: (a.x + b.x) / 2 + (across * lift * (b.y - a.y)) / length, y: (a.y + b.y) / 2 - (across * lift * (b.x - a.x)) / length };
}

function badge({ x, y }, n, kind) {
  const shape =
    kind === "better"
      ? svg("rect", { x: x - 13, y: y - 13, width: 26, height: 26, rx: 3, transform: `rotate(45 ${x} ${y})` })
      : svg("circle", { cx: x, cy: y, r: 16 });
  return [shape, svg("text", { x, y: y + 7 }, String(n))];
}

function arrow({ from, to, kind, n }, places, nth) {
  const a = places.get(from);
  const b = places.get(to);
  if (!a || !b || from === to) return null;
  const control = bend(a, b, kind === "better" ? -1 : 1, nth);
  const away = Math.hypot(b.x - control.x, b.y - control.y) || 1;
  const [ux, uy] = [(b.x - control.x) / away, (b.y - control.y) / away];
  const tip = { x: b.x - ux * TIP, y: b.y - uy * TIP };
  const neck = { x: tip.x - ux * HEAD, y: tip.y - uy * HEAD };
  const d = `M${a.x} ${a.y}Q${control.x} ${control.y} ${neck.x} ${neck.y}`;
  const head = `M${tip.x} ${tip.y}L${neck.x - uy * 16} ${neck.y + ux * 16}L${neck.x + uy * 16} ${neck.y - ux * 16}Z`;
  const middle = { x: (a.x + 2 * control.x + neck.x) / 4, y: (a.y + 2 * control.y + neck.y) / 4 };
  return svg(
    "g",
    { class: `arrow ${kind}` },
    svg("path", { class: "arrow-edge", d }),
    svg("path", { class: "arrow-way", d }),
    svg("path", { class: "arrow-head", d: head }),
    ...badge(middle, n, kind),
  );
}

const FOLLOWS = new Set(["cards_drawn", "deck_shuffled", "row_laid", "choice_dealt", "snake_struck", "chests_laid", "discard_owed", "cards_discarded"]);

/** The events of a turn, action by action: what follows from an action stands with it. Passing on is no action. */
export function actionsOf(events) {
  const actions = [];
  for (const event of events.filter(({ type }) => type !== "turn_passed" && type !== "game_won")) {
    if (FOLLOWS.has(event.type) && actions.length) actions[actions.length - 1].push(event);
    else actions.push([event]);
  }
  return actions;
}

const isMove = ({ type, from, to }) => from !== undefined && to !== undefined && !["card_stolen", "steal_lapsed"].includes(type);

/** The arrows of a turn, each with the number of its action; `kind` is "played" or "better". */
export function arrowsOf(events, kind) {
  return actionsOf(events).flatMap((action, at) => action.filter(isMove).map(({ from, to }) => ({ from, to, kind, n: at + 1 })));
}

/** Draw them into a layer; those that leave the same place fan out. */
export function drawArrows(layer, arrows, places) {
  const left = new Map();
  for (const each of arrows) {
    const key = `${each.kind} ${each.from} ${each.to}`;
    const nth = left.get(key) ?? 0;
    left.set(key, nth + 1);
    const node = arrow(each, places, nth);
    if (node) layer.append(node);
  }
}
