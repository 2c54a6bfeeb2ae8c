// The pirates on the board: which figure stands where, and how it walks there.

import { svg } from "../core/dom.js";
import { pirateParts } from "../core/icons.js";
import { walk } from "./animate.js";
import { grouped, standing } from "./layout.js";
import { letterOf, lookOf } from "../core/names.js";

const SCALE = 1.08; // a figure is 40 x 60 units; a tile 100
const isBig = (place) => typeof place !== "number";

export function Pieces(layer) {
  let figures = []; // per seat: [{node, place, x, y}]
  const counts = svg("g", { class: "counts" });

  function forget() {
    figures = [];
    layer.replaceChildren();
  }

  /** A figure for every pirate; they are alike within a colour, so any may become any. */
  function make(view, seats) {
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

  /** Give each figure a place of the view, moving as few as possible. */
  function assign(view) {
    view.players.forEach((player, seat) => {
      const wanted = [...player.pirates];
      const loose = [];
      for (const figure of figures[seat]) {
        const at = wanted.indexOf(figure.place);
        if (at < 0) loose.push(figure);
        else wanted.splice(at, 1);
      }
      loose.forEach((figure, at) => {
        figure.came = figure.place;
        figure.place = wanted[at];
      });
    });
  }

  function show(view, seats, places, line, events, sailing) {
    if (figures.length !== view.players.length) {
      layer.replaceChildren();
      make(view, seats);
    }
    for (const figure of figures.flat()) figure.came = undefined;
    assign(view);
    counts.replaceChildren();
    const walks = [];
    for (const place of line) walks.push(...settlePlace(place, places, line, events, view.winner));
    for (const [place, { group }] of places) {
      group.classList.toggle("taken", !isBig(place) && figures.flat().some((figure) => figure.place === place));
    }
    for (const figure of figures.flat()) figure.node.classList.toggle("sail-with-figure", figure.place === "sloop");
    paintOrder();
    if (sailing)
      for (const figure of figures.flat())
        if (figure.place === "sloop")
          walk(
            figure.node,
            [
              [figure.x + sailing, figure.y],
              [figure.x, figure.y],
            ],
            { scale: SCALE },
          );
    return Promise.all(walks);
  }

  function settlePlace(place, places, line, events, winner) {
    const walks = [];
    const { x, y } = places.get(place);
    const here = figures
      .map((own, seat) => ({ seat, own: own.filter((figure) => figure.place === place) }))
      .filter(({ own }) => own.length);
    if (isBig(place)) {
      const isCheering = place === "goal" && here.some(({ seat }) => seat === winner);
      grouped(here.length).forEach(({ dx, dy }, at) => {
        const { seat, own } = here[at];
        if (isCheering && seat === winner) {
          walks.push(...lineUp(own, x, y, places, line, events));
          return;
        }
        own.forEach((figure, order) => walks.push(put(figure, x + dx, y + dy, places, line, events, order)));
        // The others stand behind the winner's crew: their number would hang over the wrong heads.
        if (own.length > 1 && !isCheering) counts.append(badge(x + dx, y + dy, own.length));
      });
    } else {
      const all = here.flatMap(({ own }) => own);
      standing(all.length).forEach(({ dx, dy }, at) =>
        walks.push(put(all[at], x + dx, y + dy, places, line, events, 0)),
      );
    }
    return walks;
  }

  /** The winner's crew stands side by side, before anybody else who is home. */
  function lineUp(crew, x, y, places, line, events) {
    const gap = Math.min(34, 170 / crew.length);
    return crew.map((figure, at) => put(figure, x + (at - (crew.length - 1) / 2) * gap, y + 46, places, line, events, 0));
  }

  function put(figure, x, y, places, line, events, order) {
    const { node, came } = figure;
    node.setAttribute("transform", `translate(${x} ${y}) scale(${SCALE})`);
    node.classList.toggle("beneath", order > 0);
    const old = [figure.x, figure.y];
    Object.assign(figure, { x, y });
    if (came === undefined || came === null || events.length === 0) return Promise.resolve();
    return walk(node, [old, ...between(came, figure.place, places, line), [x, y]], { scale: SCALE });
  }

  /** The road between two places, so that a figure walks it instead of flying. */
  function between(from, to, places, line) {
    const a = line.indexOf(from);
    const b = line.indexOf(to);
    const step = a < b ? 1 : -1;
    const road = [];
    for (let at = a + step; at !== b && at >= 0 && at < line.length; at += step) {
      const { x, y } = places.get(line[at]);
      road.push([x, y + 30]);
    }
    const every = Math.max(1, Math.ceil(road.length / 10));
    return road.filter((_, at) => at % every === 0);
  }

  function badge(x, y, count) {
    const text = svg("text", { x: x + 15, y: y - 51 });
    text.textContent = String(count);
    return svg("g", { class: "count" }, svg("circle", { cx: x + 15, cy: y - 57, r: 14 }), text);
  }

  /** Those nearer the viewer (lower on the map) lie on top; the counts above all. */
  function paintOrder() {
    const sorted = figures.flat().sort((a, b) => a.y - b.y);
    for (const { node } of sorted) layer.append(node);
    layer.append(counts);
  }

  /** The figures of a seat that are home, where they stand. */
  const crew = (seat) =>
    figures[seat].filter(({ place }) => place === "goal").map(({ node, x, y }) => ({ node, x, y, scale: SCALE }));

  return { show, forget, crew };
}
