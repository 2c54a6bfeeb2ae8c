// The board as an SVG picture, for play, replay, rules examples and the tutorial. It knows no rules.
//
//   const board = Board(svgElement, {onSpace, seats, fit, interactive});
//   board.set(view, events)            show a view and animate the events that led to it; returns a promise
//   board.mark({selected, sources, targets, traces, recap, arrows})   highlight places and moves; mark({}) clears them
//   board.setSeats([{name, colour}])   set names and colours; by default colours follow seat order
//   board.focus(place)                 move the keyboard focus
//
// onSpace(place, event) is called when a place is clicked, tapped or activated with Enter or Space.
// A place is "start", a number, "sloop" or "goal". A target is {place, cards: ["key"], draws: 2, note: "…"}.
// fit: "width" (default) takes the height it needs, "box" fits into the parent. With interactive: false places have
// labels but cannot be activated. Arrows need drawArrows of arrows.js. Needs static/css/tokens.css and board.css.

/** @import {GameEvent, Haven, MapMarks, Place, PlaceOnMap, Places, Plan, Point, SeatLooks, View} from "../core/types.d.ts" */

import { find, setChildren, svg } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { loadOnce } from "../core/load_once.js";
import { placeLabel } from "../core/names.js";
import { canAnimate, finishAll, slide } from "./animate.js";
import { drawGround, drawLandmark, drawSpace } from "./ground.js";
import { layout } from "./layout.js";
import { Marks } from "./marks.js";
import { Pieces } from "./pieces.js";

const LAYERS = ["ground", "places", "rings", "behind", "pieces", "front", "victory", "chips"];

/**
 * @param {SVGSVGElement} root
 * @param {{ onSpace?: ((place: Place, event: Event) => void) | null, seats?: SeatLooks, fit?: "width" | "box", interactive?: boolean, drawArrows?: typeof import("./arrows.js").drawArrows | null }} [options]
 */
export function Board(
  root,
  { onSpace = null, seats = null, fit = "width", interactive = true, drawArrows = null } = {},
) {
  // Screen readers read only the places: their labels name the pirates.
  const layers = Object.fromEntries(
    LAYERS.map((name) => [
      name,
      svg("g", { class: `layer-${name}`, "aria-hidden": name === "places" ? null : "true" }),
    ]),
  );
  /** @type {View} Undefined until the first set(). */
  let view;
  /** @type {Plan} */
  let plan;
  let planKey = "";
  /** @type {SeatLooks} */
  let seatLooks = seats;
  /** @type {Places} */
  let places = new Map();
  // The place in the tab order.
  /** @type {Place} */
  let current = "start";
  const pieces = Pieces(layers.pieces);
  const marks = Marks(layers.rings, layers.chips, drawArrows);
  // Loaded when a player is about to win.
  /** @type {ReturnType<typeof import("./victory.js").Victory> | null} */
  let victory = null;
  const loadVictory = loadOnce(() =>
    import("./victory.js").then(({ Victory }) => (victory = Victory(layers.behind, layers.victory))),
  );
  // Counts calls of set(): follow-ups of an earlier call are dropped.
  let showCount = 0;
  // Events of a win whose celebration is not over. If the map changes size meanwhile, it is celebrated again.
  /** @type {GameEvent[]} */
  let winEvents = [];
  // Resolves when the current view has stopped moving.
  /** @type {Promise<unknown>} */
  let settled = Promise.resolve();

  root.classList.add("board");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", t("The route"));
  setChildren(root);
  root.append(...LAYERS.map((name) => layers[name]));

  function availableSize() {
    const parent = root.parentElement;
    const width = parent?.clientWidth || 800;
    if (fit === "box" && parent && parent.clientHeight > 160)
      return { width, height: parent.clientHeight, fill: true };
    return { width, height: width < 620 ? width * 1.75 : width * 0.62 };
  }

  /** Redraw the map if the route or the available size has changed the layout. */
  function rebuild() {
    const { scenario, passage_boards, jungle_boards } = view.options;
    const next = layout(view.options, availableSize());
    const key = [scenario, passage_boards, jungle_boards, next.width, next.height, view.board].join();
    if (key === planKey) return;
    const focusedPlace = root.contains(document.activeElement) ? current : null;
    plan = next;
    planKey = key;
    finishAll();
    root.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
    for (const name of ["ground", "places", "front"]) setChildren(layers[name]);
    drawGround(layers.ground, plan, scenario);
    places = new Map();
    for (const space of plan.spaces)
      addPlace(space.space, drawSpace(space, view.board[space.space - 1]), space);
    addPlace(
      "start",
      drawLandmark(scenario === "jungle" ? "wreck" : "prison", plan.start, layers.front),
      plan.start,
    );
    // Drawn at Cartagena; moorSloop() moves it.
    if (plan.sloop)
      addPlace("sloop", drawLandmark("sloop", plan.sloop.cartagena, layers.front), plan.sloop.cartagena);
    addPlace(
      "goal",
      drawLandmark(scenario === "passage" ? "sloop" : "bay", plan.goal, layers.front),
      plan.goal,
    );
    // Screen readers follow the route.
    for (const place of routeOrder()) layers.places.append(placeAt(place).group);
    pieces.clear();
    if (focusedPlace !== null) places.get(focusedPlace)?.group.focus({ preventScroll: true });
  }

  /**
   * @param {Place} place
   * @param {SVGElement} group
   * @param {Point} point
   */
  function addPlace(place, group, { x, y }) {
    group.dataset.place = String(place);
    group.classList.add("place");
    group.setAttribute("role", interactive ? "button" : "img");
    if (interactive) group.setAttribute("tabindex", place === current ? "0" : "-1");
    places.set(place, { group, x, y });
  }

  /**
   * Return the element and position of a place on this route.
   * @param {Place} place
   */
  const placeAt = (place) => /** @type {PlaceOnMap} */ (places.get(place));

  /** @returns {Place[]} */
  function routeOrder() {
    /** @type {Place[]} */
    const spaces = plan.spaces.map(({ space }) => space);
    const passage = view.options.passage_boards * 6;
    if (!plan.sloop) return ["start", ...spaces, "goal"];
    return ["start", ...spaces.slice(0, passage), "sloop", ...spaces.slice(passage), "goal"];
  }

  function updateLabels() {
    for (const [place, { group }] of places) {
      const note = marks.describe(place);
      group.setAttribute("aria-label", [placeLabel(view, place, seatLooks), note].filter(Boolean).join("; "));
      if (interactive) group.setAttribute("aria-pressed", String(marks.isSelected(place)));
    }
  }

  function showChests() {
    for (const { space } of plan.spaces) {
      const { group } = placeAt(space);
      group.classList.toggle("has-chest", Boolean(view.chests) && String(space) in view.chests);
    }
  }

  /**
   * Move the sloop to its place. Return the distance to animate if it has just sailed, else null.
   * @param {boolean} sailed
   */
  function moorSloop(sailed) {
    if (!plan.sloop) return null;
    const { sloop } = plan;
    const at = sloop[/** @type {Haven} */ (view.sloop)];
    const entry = placeAt("sloop");
    const dx = entry.x - at.x;
    if (!dx) return null;
    const parts = [entry.group, find(".sloop-front-sailing", layers.front)];
    for (const part of parts) part.setAttribute("transform", `translate(${at.x - sloop.cartagena.x} 0)`);
    Object.assign(entry, { x: at.x, y: at.y });
    return sailed ? dx : null;
  }

  /**
   * Whether anything on the map has moved.
   * @param {View} next
   */
  const hasMoved = (next) => positionKey(next) !== positionKey(view);
  /** @param {View} view */
  const positionKey = ({ players, sloop, chests }) =>
    JSON.stringify([players.map(({ pirates }) => pirates), sloop, chests]);

  /**
   * @param {View} nextView
   * @param {GameEvent[]} [events]
   */
  function set(nextView, events = []) {
    if (view && nextView !== view && events.length && !hasMoved(nextView)) {
      // Nothing moved (a turn ended, for example), so running animations continue.
      view = nextView;
      return Promise.resolve();
    }
    finishAll();
    view = nextView;
    showCount += 1;
    const thisShow = showCount;
    rebuild();
    const piratesLeft = Math.min(
      ...view.players.map(({ pirates }) => pirates.filter((place) => place !== "goal").length),
    );
    if (piratesLeft < 2) loadVictory();
    const isWon =
      view.winner !== null && view.players[view.winner].pirates.every((place) => place === "goal");
    const isCelebrated = isWon && victory !== null;
    const isNewWin = isCelebrated && canAnimate() && events.some(({ type }) => type === "game_won");
    if (!isCelebrated || isNewWin) returnToQuay();
    else castOff();
    const sailing = moorSloop(events.some(({ type }) => type === "sailed"));
    /** @type {Promise<unknown>[]} */
    const moving = [pieces.show(view, seatLooks, places, routeOrder(), events, sailing)];
    if (sailing) for (const part of root.querySelectorAll(".sail-with")) moving.push(slide(part, sailing, 0));
    showChests();
    marks.redraw(places);
    updateLabels();
    const arrived = Promise.all(moving);
    winEvents = isNewWin || (isWon && !victory) ? events : [];
    settled = isNewWin
      ? arrived
          .then(() => (thisShow === showCount ? celebrate() : undefined))
          .then(() => thisShow !== showCount && settled)
      : arrived;
    if (isWon && !victory) {
      const won = events.filter(({ type }) => type === "game_won");
      settled = arrived.then(loadVictory).then(
        () => (thisShow === showCount ? set(nextView, won) : settled),
        // Without the celebration the game is over, too.
        () => undefined,
      );
    }
    return settled;
  }

  /** Draw the final picture of a won game and return how far the sloop has carried the crew. */
  function castOff() {
    const goal = placeAt("goal");
    const isSloop = view.options.scenario === "passage";
    const carried = /** @type {NonNullable<typeof victory>} */ (victory).show(
      view,
      seatLooks,
      plan,
      isSloop ? [goal.group, find(".sloop-front-sailing", layers.front)] : [],
    );
    Object.assign(goal, { x: plan.goal.x + carried.dx, y: plan.goal.y + carried.dy });
    return carried;
  }

  function celebrate() {
    const carried = castOff();
    pieces.show(view, seatLooks, places, routeOrder(), [], null);
    const thisShow = showCount;
    const { celebrate: cheer } = /** @type {NonNullable<typeof victory>} */ (victory);
    return cheer(pieces.crew(/** @type {number} */ (view.winner)), carried).then(() => {
      if (thisShow === showCount) winEvents = [];
    });
  }

  function returnToQuay() {
    victory?.hide();
    Object.assign(placeAt("goal"), { x: plan.goal.x, y: plan.goal.y });
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    const group = /** @type {SVGElement | null} */ (
      /** @type {Element} */ (event.target).closest("[data-place]")
    );
    if (!group || !onSpace) return;
    moveFocus(placeOf(group), false);
    onSpace(placeOf(group), event);
  }

  /** @param {SVGElement} group */
  const placeOf = (group) => {
    const name = String(group.dataset.place);
    return /^\d+$/.test(name) ? Number(name) : /** @type {Place} */ (name);
  };

  /**
   * @param {Place} place
   * @param {boolean} [shouldFocus]
   */
  function moveFocus(place, shouldFocus = true) {
    if (!places.has(place)) return;
    places.get(current)?.group.setAttribute("tabindex", "-1");
    current = place;
    const { group } = placeAt(place);
    group.setAttribute("tabindex", "0");
    if (shouldFocus) group.focus({ preventScroll: false });
  }

  /**
   * Arrow keys follow the road, Page keys jump between highlighted places, Home and End go to its ends.
   * @param {KeyboardEvent} event
   */
  function onKeydown(event) {
    const line = routeOrder();
    const at = line.indexOf(current);
    const lit = line.filter((place) => marks.isLit(place));
    const after = lit.find((place) => line.indexOf(place) > at) ?? lit[0];
    const before = [...lit].reverse().find((place) => line.indexOf(place) < at) ?? lit[lit.length - 1];
    /** @type {Record<string, Place | undefined>} */
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
      const to = steps[event.key];
      if (to !== undefined) moveFocus(to);
    }
  }

  if (interactive) {
    root.addEventListener("click", onClick);
    root.addEventListener("keydown", onKeydown);
  }
  let lastSize = "";
  const resizeObserver = new ResizeObserver(() => {
    const { width, height } = availableSize();
    const next = `${width}x${height}`;
    if (!view || next === lastSize) return;
    lastSize = next;
    requestAnimationFrame(() => view && set(view, winEvents));
  });
  if (root.parentElement) resizeObserver.observe(root.parentElement);

  return {
    set,
    /** @param {MapMarks} next */
    mark(next) {
      marks.set(next);
      if (!view) return;
      marks.redraw(places);
      updateLabels();
    },
    /** @param {SeatLooks} next */
    setSeats(next) {
      seatLooks = next;
      pieces.clear();
      if (view) set(view);
    },
    /** @param {Place} place */
    focus: (place) => moveFocus(place),
  };
}
