// The board: the route as a picture, the same for play, replay, rules examples and the tutorial. It knows no rules.
//
//   const board = Board(svgElement, {onSpace, seats, fit, interactive});
//   board.set(view, events)   show a view (docs/interchange.md); events (optional) that led to it are animated; returns a promise
//   board.mark({selected, sources, targets, traces, recap})  light places, show moves (recap: beneath the pirates); mark({}) puts all out
//   board.seats([{name, colour}])                     who sits where (colours; default: in seat order)
//   board.focus(place)                                put the keyboard there
//
// onSpace(place, event): a place was clicked, tapped or Enter/Space was pressed on it.
// A place is "start", a number, "sloop" or "goal". A target is {place, cards: ["key"], draws: 2, note: "…"}.
// fit "width" (default): as tall as it needs; "box": as large as fits into the parent. interactive false: a picture whose
// places can be read but not pressed. Needs static/css/tokens.css and board.css.

import { layout } from "./layout.js";
import { put, svg } from "../core/dom.js";
import { mayMove, settleAll, slide } from "./animate.js";
import { drawGround, drawLandmark, drawSpace } from "./ground.js";
import { Pieces } from "./pieces.js";
import { Marks } from "./marks.js";
import { placeLabel } from "../core/names.js";
import { t } from "../core/i18n.js";

const LAYERS = ["ground", "places", "rings", "behind", "pieces", "front", "victory", "chips"];

export function Board(root, { onSpace = null, seats = null, fit = "width", interactive = true } = {}) {
  // only places are read out, with who stands on them: not the letters of the pirates one by one
  const layers = Object.fromEntries(
    LAYERS.map((name) => [name, svg("g", { class: `layer-${name}`, "aria-hidden": name === "places" ? null : "true" })]),
  );
  let view = null;
  let plan = null;
  let planKey = "";
  let who = seats;
  let places = new Map(); // place -> {group, x, y}
  let current = "start"; // where the keyboard is
  const pieces = Pieces(layers.pieces);
  const marks = Marks(layers.rings, layers.chips);
  let victory = null; // loaded when somebody has nearly won
  let coming = null;
  const loadVictory = () =>
    (coming ??= import("./victory.js").then(({ Victory }) => (victory = Victory(layers.behind, layers.victory))));
  let shows = 0; // how often a view was shown: what was to follow an earlier one is dropped
  let news = []; // events of a win that is not yet celebrated to its end: a card that comes up beside the map changes its size
  let latest = Promise.resolve(); // until what is shown now has come to rest

  root.classList.add("board");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", t("The route"));
  put(root);
  root.append(...LAYERS.map((name) => layers[name]));

  function room() {
    const parent = root.parentElement;
    const width = parent?.clientWidth || 800;
    if (fit === "box" && parent.clientHeight > 160) return { width, height: parent.clientHeight, fill: true };
    return { width, height: width < 620 ? width * 1.75 : width * 0.62 };
  }

  /** Lay the map out anew when the route or the room's shape asks for another number of rows. */
  function rebuild() {
    const { scenario, passage_boards, jungle_boards } = view.options;
    const next = layout(view.options, room());
    const key = [scenario, passage_boards, jungle_boards, next.width, next.height, view.board].join();
    if (key === planKey) return;
    const held = root.contains(document.activeElement) ? current : null; // the keyboard stays where it is
    plan = next;
    planKey = key;
    settleAll();
    root.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
    for (const name of ["ground", "places", "front"]) put(layers[name]);
    drawGround(layers.ground, plan, scenario);
    places = new Map();
    for (const space of plan.spaces) add(space.space, drawSpace(space, view.board[space.space - 1]), space);
    add("start", drawLandmark(scenario === "jungle" ? "wreck" : "prison", plan.start, layers.front), plan.start);
    // drawn at Cartagena; moor() brings it to where the view says
    if (plan.sloop) add("sloop", drawLandmark("sloop", plan.sloop.cartagena, layers.front), plan.sloop.cartagena);
    add("goal", drawLandmark(scenario === "passage" ? "sloop" : "bay", plan.goal, layers.front), plan.goal);
    for (const place of order()) layers.places.append(places.get(place).group); // reading order is route order
    pieces.forget();
    if (held !== null) places.get(held)?.group.focus({ preventScroll: true });
  }

  function add(place, group, { x, y }) {
    group.dataset.place = String(place);
    group.classList.add("place");
    group.setAttribute("role", interactive ? "button" : "img");
    if (interactive) group.setAttribute("tabindex", place === current ? "0" : "-1");
    places.set(place, { group, x, y });
  }

  function order() {
    const spaces = plan.spaces.map(({ space }) => space);
    const passage = view.options.passage_boards * 6;
    if (!plan.sloop) return ["start", ...spaces, "goal"];
    return ["start", ...spaces.slice(0, passage), "sloop", ...spaces.slice(passage), "goal"];
  }

  function label() {
    for (const [place, { group }] of places) {
      const note = marks.note(place);
      group.setAttribute("aria-label", [placeLabel(view, place, who), note].filter(Boolean).join("; "));
      if (interactive) group.setAttribute("aria-pressed", String(marks.isSelected(place)));
    }
  }

  function showChests() {
    for (const { space } of plan.spaces) {
      const { group } = places.get(space);
      group.classList.toggle("has-chest", Boolean(view.chests) && String(space) in view.chests);
    }
  }

  /** The sloop lies where the view says; it sails there if it has just been moved. */
  function moor(sailed) {
    if (!plan.sloop) return null;
    const at = plan.sloop[view.sloop];
    const entry = places.get("sloop");
    const dx = entry.x - at.x;
    if (!dx) return null;
    const parts = [entry.group, layers.front.querySelector(".sloop-front-sailing")];
    for (const part of parts) part.setAttribute("transform", `translate(${at.x - plan.sloop.cartagena.x} 0)`);
    Object.assign(entry, { x: at.x, y: at.y });
    return sailed ? dx : null;
  }

  /** Whether anything on the map is elsewhere than before. */
  const hasMoved = (next) => standing(next) !== standing(view);
  const standing = ({ players, sloop, chests }) => JSON.stringify([players.map(({ pirates }) => pirates), sloop, chests]);

  function set(nextView, events = []) {
    if (view && nextView !== view && events.length && !hasMoved(nextView)) {
      view = nextView; // a turn has ended, say: whoever still walks goes on walking
      return Promise.resolve();
    }
    settleAll();
    view = nextView;
    shows += 1;
    const nth = shows;
    rebuild();
    const away = Math.min(...view.players.map(({ pirates }) => pirates.filter((place) => place !== "goal").length));
    if (away < 2) loadVictory();
    const isWon = view.winner !== null && view.players[view.winner].pirates.every((place) => place === "goal");
    const isHome = isWon && victory !== null;
    const isNew = isHome && mayMove() && events.some(({ type }) => type === "game_won");
    if (!isHome || isNew) atQuay();
    else castOff();
    const sailing = moor(events.some(({ type }) => type === "sailed"));
    const moving = [pieces.show(view, who, places, order(), events, sailing)];
    if (sailing) for (const part of root.querySelectorAll(".sail-with")) moving.push(slide(part, sailing, 0));
    showChests();
    marks.redraw(places);
    label();
    const still = Promise.all(moving);
    news = isNew || (isWon && !victory) ? events : [];
    latest = isNew ? still.then(() => nth === shows && celebrate()).then(() => nth !== shows && latest) : still;
    if (isWon && !victory) {
      const won = events.filter(({ type }) => type === "game_won");
      latest = still.then(loadVictory).then(() => (nth === shows ? set(nextView, won) : latest));
    }
    return latest;
  }

  /** A won game's still picture: the sloop has cast off with everybody who is home. Gives how far it carried them. */
  function castOff() {
    const goal = places.get("goal");
    const isSloop = view.options.scenario === "passage";
    const carried = victory.show(view, who, plan, isSloop ? [goal.group, layers.front.querySelector(".sloop-front-sailing")] : []);
    Object.assign(goal, { x: plan.goal.x + carried.dx, y: plan.goal.y + carried.dy });
    return carried;
  }

  function celebrate() {
    const carried = castOff();
    pieces.show(view, who, places, order(), []);
    const nth = shows;
    return victory.celebrate(pieces.crew(view.winner), carried).then(() => {
      if (nth === shows) news = [];
    });
  }

  function atQuay() {
    victory?.hide();
    Object.assign(places.get("goal"), { x: plan.goal.x, y: plan.goal.y });
  }

  function onClick(event) {
    const group = event.target.closest("[data-place]");
    if (!group || !onSpace) return;
    moveFocus(placeOf(group), false);
    onSpace(placeOf(group), event);
  }

  const placeOf = (group) => (/^\d+$/.test(group.dataset.place) ? Number(group.dataset.place) : group.dataset.place);

  function moveFocus(place, take = true) {
    if (!places.has(place)) return;
    places.get(current)?.group.setAttribute("tabindex", "-1");
    current = place;
    const { group } = places.get(place);
    group.setAttribute("tabindex", "0");
    if (take) group.focus({ preventScroll: false });
  }

  /** Arrows walk the road, Page keys jump between lit places, Home and End go to its ends. */
  function onKey(event) {
    const line = order();
    const at = line.indexOf(current);
    const lit = line.filter((place) => marks.isLit(place));
    const after = lit.find((place) => line.indexOf(place) > at) ?? lit[0];
    const before = [...lit].reverse().find((place) => line.indexOf(place) < at) ?? lit[lit.length - 1];
    const steps = {
      ArrowRight: line[at + 1],
      ArrowDown: line[at + 1],
      ArrowLeft: line[at - 1],
      ArrowUp: line[at - 1],
      Home: line[0],
      End: line[line.length - 1],
      PageDown: after,
      PageUp: before,
      n: after,
      p: before,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onSpace?.(current, event);
    } else if (event.key in steps) {
      event.preventDefault();
      if (steps[event.key] !== undefined) moveFocus(steps[event.key]);
    }
  }

  if (interactive) {
    root.addEventListener("click", onClick);
    root.addEventListener("keydown", onKey);
  }
  let shape = "";
  const watcher = new ResizeObserver(() => {
    const { width, height } = room();
    const next = `${width}x${height}`;
    if (!view || next === shape) return;
    shape = next;
    requestAnimationFrame(() => view && set(view, news));
  });
  if (root.parentElement) watcher.observe(root.parentElement);

  return {
    set,
    mark(next) {
      marks.set(next);
      if (!view) return;
      marks.redraw(places);
      label();
    },
    seats(next) {
      who = next;
      pieces.forget();
      if (view) set(view);
    },
    focus: (place) => moveFocus(place),
  };
}
