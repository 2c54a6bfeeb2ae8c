// Light on the map: what may be chosen, what is chosen, where it would land and at what price. Shape and words, not colour alone.

import { put, svg } from "../core/dom.js";
import { use } from "../core/icons.js";
import { cardName } from "../core/names.js";
import { t, tn } from "../core/i18n.js";
import { drawArrows } from "./arrows.js";

/** What a target says: the cards that lead there, the cards it draws. */
function targetNote({ cards = [], draws = 0, note }) {
  const parts = [];
  if (cards.length) parts.push(t("lands here with {cards}", { cards: cards.map(cardName).join(", ") }));
  if (draws) parts.push(tn("draws {n} card, cannot be undone", "draws {n} cards, cannot be undone", draws));
  if (note) parts.push(note);
  return parts.join("; ");
}

const WIDEST = 96; // units of a label, where a tile has 100: neighbours do not touch

export function Marks(rings, chips) {
  let marks = {};

  const targetAt = (place) => (marks.targets ?? []).filter((target) => target.place === place);

  function outline(group, cls) {
    const shape = group.querySelector(".tile") ?? group.querySelector(".landmark-hit");
    const copy = shape.cloneNode(false);
    copy.setAttribute("class", `ring ${cls}`);
    const moved = group.getAttribute("transform");
    if (moved) copy.setAttribute("transform", moved);
    rings.append(copy);
  }

  /** A small label over a landing place: card signs and "+2". */
  function chip({ x, y }, targets) {
    const cards = [...new Set(targets.flatMap(({ cards: list = [] }) => list.map((card) => card)))];
    const draws = Math.max(0, ...targets.map(({ draws: count = 0 }) => count));
    const shown = cards.slice(0, 3);
    const width = shown.length * 36 + (draws ? 44 : 0) + (cards.length > 3 ? 22 : 0) + 14;
    if (!shown.length && !draws) return;
    const scale = Math.min(1, WIDEST / width); // its point stays where it is
    const node = svg(
      "g",
      { class: "chip", transform: `translate(${x - (width * scale) / 2} ${y - 30 - 52 * scale}) scale(${scale})` },
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
        use("symbols", `symbol-${card.replace("*", "")}`, { x: 10.5 + at * 36, y: 7, width: 28, height: 28 }),
      );
      node.append(sign);
    });
    const after = 10 + shown.length * 36;
    if (cards.length > 3) node.append(text(after, 28, "…"));
    if (draws) node.append(text(after + (cards.length > 3 ? 20 : 2), 30, `+${draws}`, "chip-draws"));
    chips.append(node);
  }

  function text(x, y, words, cls = "") {
    const node = svg("text", { x, y, class: cls });
    node.textContent = words;
    return node;
  }

  /** The way of one move, as an arrow in the mover's colour (or the page's, where it belongs to nobody). */
  function trace({ from, to, look }, places, layer, cls) {
    const a = places.get(from);
    const b = places.get(to);
    if (!a || !b || from === to) return;
    const lift = Math.min(160, 40 + Math.hypot(a.x - b.x, a.y - b.y) / 4);
    const [mx, my] = [(a.x + b.x) / 2, (a.y + b.y) / 2 - lift];
    const d = `M${a.x} ${a.y}Q${mx} ${my} ${b.x} ${b.y}`;
    const turn = (Math.atan2(b.y - my, b.x - mx) * 180) / Math.PI;
    layer.append(
      svg(
        "g",
        { class: look === undefined ? cls : `${cls} look-${look}` },
        svg("path", { class: "trace-edge", d }),
        svg("path", { class: "trace-way", d }),
        svg("circle", { class: "trace-start", cx: a.x, cy: a.y, r: 9 }),
        svg("path", { class: "trace-head", d: "M6 0L-22 15L-15 0L-22 -15Z", transform: `translate(${b.x} ${b.y}) rotate(${turn})` }),
      ),
    );
  }

  function redraw(places) {
    put(rings);
    put(chips);
    drawArrows(chips, marks.arrows ?? [], places);
    for (const { group } of places.values()) group.classList.remove("is-source", "is-target", "is-selected");
    for (const place of marks.sources ?? []) {
      const entry = places.get(place);
      if (!entry) continue;
      entry.group.classList.add("is-source");
      outline(entry.group, "source");
    }
    const shown = new Set((marks.targets ?? []).map(({ place }) => place));
    for (const place of shown) {
      const entry = places.get(place);
      if (!entry) continue;
      entry.group.classList.add("is-target");
      outline(entry.group, "target");
      chip(entry, targetAt(place));
    }
    if (marks.selected !== undefined && places.has(marks.selected)) {
      places.get(marks.selected).group.classList.add("is-selected");
      outline(places.get(marks.selected).group, "selected");
    }
    for (const each of marks.recap ?? []) trace(each, places, rings, "recap"); // beneath the pirates
    for (const each of marks.traces ?? []) trace(each, places, chips, "trace");
  }

  return {
    set(next) {
      marks = next ?? {};
    },
    redraw,
    isLit: (place) => (marks.sources ?? []).includes(place) || targetAt(place).length > 0,
    isSelected: (place) => marks.selected === place,
    note(place) {
      const targets = targetAt(place);
      if (targets.length) return targets.map(targetNote).join("; ");
      return (marks.sources ?? []).includes(place) && marks.selected !== place ? t("can move") : "";
    },
  };
}
