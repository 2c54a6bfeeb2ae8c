// Highlights on the map: what can be selected, what is selected, where it would land and what it costs. They use shapes
// and labels, not colour alone.

/** @import {MapMarks, Place, Places, Point, Target} from "../core/types.d.ts" */

import { find, setChildren, svg } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { sprite } from "../core/icons.js";
import { cardName } from "../core/names.js";

/**
 * Describe a target: the cards that lead there and the cards it draws.
 * @param {Target} target
 */
function describeTarget({ cards = [], draws = 0, note }) {
  const parts = [];
  if (cards.length) parts.push(t("can be reached with: {cards}", { cards: cards.map(cardName).join(", ") }));
  if (draws)
    parts.push(tn("draws {n} card and cannot be undone", "draws {n} cards and cannot be undone", draws));
  if (note) parts.push(note);
  return parts.join("; ");
}

// A tile has 100 units: neighbouring labels do not touch.
const MAX_CHIP_WIDTH = 96;

/**
 * @param {SVGElement} rings
 * @param {SVGElement} chips
 * @param {typeof import("./arrows.js").drawArrows | null} drawArrows
 */
export function Marks(rings, chips, drawArrows) {
  /** @type {MapMarks} */
  let marks = {};

  /** @param {Place} place */
  const targetsAt = (place) => (marks.targets ?? []).filter((target) => target.place === place);

  /**
   * @param {SVGElement} group
   * @param {string} cls
   */
  function drawOutline(group, cls) {
    const shape = group.querySelector(".tile") ?? find(".landmark-hit", group);
    const copy = /** @type {Element} */ (shape.cloneNode(false));
    copy.setAttribute("class", `ring ${cls}`);
    const moved = group.getAttribute("transform");
    if (moved) copy.setAttribute("transform", moved);
    rings.append(copy);
  }

  /**
   * Draw a small label over a landing place: card symbols and "+2".
   * @param {Point} point
   * @param {Target[]} targets
   */
  function drawChip({ x, y }, targets) {
    const cards = [...new Set(targets.flatMap(({ cards: list = [] }) => list.map((card) => card)))];
    const draws = Math.max(0, ...targets.map(({ draws: count = 0 }) => count));
    const shown = cards.slice(0, 3);
    const width = shown.length * 36 + (draws ? 44 : 0) + (cards.length > 3 ? 22 : 0) + 14;
    if (!shown.length && !draws) return;
    // The tip of the label stays in place.
    const scale = Math.min(1, MAX_CHIP_WIDTH / width);
    const node = svg(
      "g",
      {
        class: "chip",
        transform: `translate(${x - (width * scale) / 2} ${y - 30 - 52 * scale}) scale(${scale})`,
      },
      svg("path", {
        class: "chip-body",
        d: `M8 0h${width - 16}a8 8 0 0 1 8 8v26a8 8 0 0 1-8 8h${-(width / 2 - 17)}l-9 10-9-10h${-(width / 2 - 17)}a8 8 0 0 1-8-8V8a8 8 0 0 1 8-8z`,
      }),
    );
    shown.forEach((card, at) => {
      const sign = svg(
        "g",
        { class: card.endsWith("*") ? "chip-card dark" : "chip-card" },
        svg("rect", { x: 8 + at * 36, y: 4, width: 33, height: 34, rx: 4 }),
        sprite("symbols", `symbol-${card.replace("*", "")}`, {
          x: 10.5 + at * 36,
          y: 7,
          width: 28,
          height: 28,
        }),
      );
      node.append(sign);
    });
    const after = 10 + shown.length * 36;
    if (cards.length > 3) node.append(chipText(after, 28, "…"));
    if (draws) node.append(chipText(after + (cards.length > 3 ? 20 : 2), 30, `+${draws}`, "chip-draws"));
    chips.append(node);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {string} words
   * @param {string} [cls]
   */
  function chipText(x, y, words, cls = "") {
    const node = svg("text", { x, y, class: cls });
    node.textContent = words;
    return node;
  }

  /**
   * Draw one move as an arrow in the player's colour, or in the page's colour without a `look`.
   * @param {{ from: Place, to: Place, look?: number }} parts
   * @param {Places} places
   * @param {SVGElement} layer
   * @param {string} cls
   */
  function drawTrace({ from, to, look }, places, layer, cls) {
    const a = places.get(from);
    const b = places.get(to);
    if (!a || !b || from === to) return;
    const lift = Math.min(160, 40 + Math.hypot(a.x - b.x, a.y - b.y) / 4);
    const [mx, my] = [(a.x + b.x) / 2, (a.y + b.y) / 2 - lift];
    const d = `M${a.x} ${a.y}Q${mx} ${my} ${b.x} ${b.y}`;
    const angle = (Math.atan2(b.y - my, b.x - mx) * 180) / Math.PI;
    layer.append(
      svg(
        "g",
        { class: look === undefined ? cls : `${cls} look-${look}` },
        svg("path", { class: "trace-edge", d }),
        svg("path", { class: "trace-way", d }),
        svg("circle", { class: "trace-start", cx: a.x, cy: a.y, r: 9 }),
        svg("path", {
          class: "trace-head",
          d: "M6 0L-22 15L-15 0L-22 -15Z",
          transform: `translate(${b.x} ${b.y}) rotate(${angle})`,
        }),
      ),
    );
  }

  /** @param {Places} places */
  function redraw(places) {
    setChildren(rings);
    setChildren(chips);
    drawArrows?.(chips, marks.arrows ?? [], places);
    for (const { group } of places.values()) group.classList.remove("is-source", "is-target", "is-selected");
    for (const place of marks.sources ?? []) {
      const entry = places.get(place);
      if (!entry) continue;
      entry.group.classList.add("is-source");
      drawOutline(entry.group, "source");
    }
    const shown = new Set((marks.targets ?? []).map(({ place }) => place));
    for (const place of shown) {
      const entry = places.get(place);
      if (!entry) continue;
      entry.group.classList.add("is-target");
      drawOutline(entry.group, "target");
      drawChip(entry, targetsAt(place));
    }
    const selected = marks.selected === undefined ? undefined : places.get(marks.selected);
    if (selected) {
      selected.group.classList.add("is-selected");
      drawOutline(selected.group, "selected");
    }
    // The rings layer is below the pirates.
    for (const move of marks.recap ?? []) drawTrace(move, places, rings, "recap");
    for (const move of marks.traces ?? []) drawTrace(move, places, chips, "trace");
  }

  return {
    /** @param {MapMarks} next */
    set(next) {
      marks = next ?? {};
    },
    redraw,
    /** @param {Place} place */
    isLit: (place) => (marks.sources ?? []).includes(place) || targetsAt(place).length > 0,
    /** @param {Place} place */
    isSelected: (place) => marks.selected === place,
    /** @param {Place} place */
    describe(place) {
      const targets = targetsAt(place);
      if (targets.length) return targets.map(describeTarget).join("; ");
      return (marks.sources ?? []).includes(place) && marks.selected !== place
        ? t("has a pirate you can move")
        : "";
    },
  };
}
