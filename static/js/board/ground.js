// The ground of the map: parchment, road, tiles, landmarks and ornaments. Drawn once per layout.

/** @import {Box, Plan, Point, Scenario, Space} from "../core/types.d.ts" */

import { svg } from "../core/dom.js";
import { sprite } from "../core/icons.js";

const ORNAMENTS = {
  passage: ["rock", "spike", "torch", "rock", "spike", "bones", "torch"],
  jungle: ["palm", "fern", "leaf", "fern", "palm", "leaf", "gull"],
};

/**
 * @param {Plan} plan
 * @param {number} y
 */
function sideAt(plan, y) {
  return plan.sides.find(({ top, bottom }) => y >= top && y <= bottom)?.side ?? plan.sides[0].side;
}

/**
 * @param {SVGElement} layer
 * @param {Plan} plan
 * @param {Scenario} scenario
 */
export function drawGround(layer, plan, scenario) {
  const { width, height } = plan;
  layer.append(svg("rect", { class: "parchment", x: 0, y: 0, width, height, rx: 18 }));
  for (const { side, top, bottom } of plan.sides) {
    layer.append(
      svg("rect", {
        class: `ground ${side}`,
        x: 8,
        y: top + (top === 0 ? 8 : 0),
        width: width - 16,
        height: bottom - top - (top === 0 ? 8 : 0) - (bottom === height ? 8 : 0),
        rx: 14,
      }),
    );
  }
  if (plan.sloop) drawHarbour(layer, plan);
  if (scenario === "passage") drawWater(layer, plan, plan.goal);
  if (scenario === "jungle") drawWater(layer, plan, plan.start);
  drawOrnaments(layer, plan);
  for (const { side, road } of plan.sides) layer.append(svg("path", { class: `road ${side}`, d: road }));
  layer.append(svg("rect", { class: "frame", x: 8, y: 8, width: width - 16, height: height - 16, rx: 14 }));
  layer.append(
    svg("rect", { class: "frame inner", x: 14, y: 14, width: width - 28, height: height - 28, rx: 10 }),
  );
  layer.dataset.scenario = scenario;
}

/**
 * @param {SVGElement} layer
 * @param {Plan} plan
 */
function drawHarbour(layer, plan) {
  const { top, bottom, dock, landing, cartagena, tortuga } = /** @type {NonNullable<Plan["sloop"]>} */ (
    plan.sloop
  );
  /**
   * @param {number} y
   * @param {number} phase
   */
  const edge = (y, phase) => {
    const points = [];
    const end = plan.width - 8;
    for (let step = 8; step < end + 24; step += 24) {
      const x = Math.min(step, end);
      points.push(`${x} ${(y + 7 * Math.sin(x / 46 + phase)).toFixed(1)}`);
    }
    return points;
  };
  const shore = edge(top - 14, 0);
  const beach = edge(bottom + 14, 2).reverse();
  layer.append(svg("path", { class: "sea", d: `M${shore.join("L")}L${beach.join("L")}Z` }));
  for (let x = 60; x < plan.width - 60; x += 110) {
    layer.append(
      sprite("scenery", "wave", {
        x: x - 20 + ((x * 7) % 40),
        y: top + ((x * 13) % Math.max(bottom - top - 60, 20)),
        width: 54,
        height: 54,
      }),
    );
  }
  layer.append(
    svg("path", {
      class: "jetty",
      d: `M${dock.x} ${dock.y}L${cartagena.x} ${top + 10}M${landing.x} ${landing.y}L${tortuga.x} ${bottom - 10}`,
    }),
  );
}

/**
 * Draw a cove around a boat at an end of the road.
 * @param {SVGElement} layer
 * @param {Plan} plan
 * @param {Point} point
 */
function drawWater(layer, plan, { x, y }) {
  const points = [];
  for (let step = 0; step < 72; step += 1) {
    const angle = (step / 72) * 2 * Math.PI;
    const wobble = 1 + 0.05 * Math.sin(angle * 5 + 1) + 0.03 * Math.sin(angle * 9);
    const px = Math.min(Math.max(x + 185 * wobble * Math.cos(angle), 8), plan.width - 8);
    const py = Math.min(Math.max(y + 22 + 104 * wobble * Math.sin(angle), 8), plan.height - 8);
    points.push(`${px.toFixed(1)} ${py.toFixed(1)}`);
  }
  layer.append(svg("path", { class: "sea", d: `M${points.join("L")}Z` }));
  for (const [dx, dy] of [
    [-150, 10],
    [95, -50],
    [110, 30],
    [-60, 55],
    [-120, -50],
  ]) {
    layer.append(sprite("scenery", "wave", { x: x + dx, y: y + dy, width: 46, height: 46 }));
  }
}

/**
 * @param {SVGElement} layer
 * @param {Plan} plan
 */
function drawOrnaments(layer, plan) {
  const compassRose = plan.bare.find(({ room }) => room >= 80);
  for (const spot of plan.bare) {
    if (
      spot === compassRose ||
      (compassRose && Math.hypot(spot.x - compassRose.x, spot.y - compassRose.y) < 110)
    )
      continue;
    const set = ORNAMENTS[sideAt(plan, spot.y)];
    const size = Math.min(64, 24 + spot.room * 0.5);
    const name = set[Math.floor(spot.pick * set.length)];
    layer.append(
      sprite("scenery", name, {
        class: "ornament",
        x: spot.x - size / 2,
        y: spot.y - size / 2,
        width: size,
        height: size,
      }),
    );
  }
  if (compassRose)
    layer.append(
      sprite("scenery", "rose", {
        class: "ornament rose",
        x: compassRose.x - 80,
        y: compassRose.y - 80,
        width: 160,
        height: 160,
      }),
    );
}

/**
 * Draw one tile with its symbol. CSS shows its chest token when there is one.
 * @param {Space} space
 * @param {string} symbol
 */
export function drawSpace({ x, y, d, side, board, space, plate }, symbol) {
  return svg(
    "g",
    { class: `space ${side} board-${board % 2}` },
    svg("path", { class: "tile", d }),
    svg("path", { class: "tile-edge", d }),
    svg(
      "g",
      { class: "sign", transform: `translate(${x} ${y})` },
      sprite("symbols", `symbol-${symbol}`, { x: -26, y: -26, width: 52, height: 52 }),
    ),
    sprite("scenery", "chest-token", { class: "chest-token", x: x + 16, y: y - 48, width: 34, height: 34 }),
    numberPlate(plate, space),
  );
}

/**
 * Return a plate with the number of the space, for every sixth space.
 * @param {Point} point
 * @param {number} space
 */
function numberPlate({ x, y }, space) {
  if (space % 6 !== 0) return null;
  const text = svg("text", { x, y: y + 6 });
  text.textContent = String(space);
  return svg(
    "g",
    { class: "space-number" },
    svg("rect", { x: x - 17, y: y - 13, width: 34, height: 26, rx: 12 }),
    text,
  );
}

/**
 * Draw the prison, wreck, sloop or bay. Its front goes into a layer above the pirates.
 * @param {string} name
 * @param {Box} box
 * @param {SVGElement} frontLayer
 */
export function drawLandmark(name, { x, y, w, h }, frontLayer) {
  // Scaled to 85 % so that masts do not reach into the row above.
  const box = { x: x - 119, y: y - 108, width: 238, height: 187 };
  const isBoat = name === "sloop";
  frontLayer.append(
    svg(
      "g",
      { class: isBoat ? "sloop-front-sailing" : "" },
      svg("g", { class: isBoat ? "sail-with" : "" }, sprite("scenery", `${name}-front`, box)),
    ),
  );
  return svg(
    "g",
    { class: `landmark ${name}` },
    svg(
      "g",
      { class: isBoat ? "sail-with" : "" },
      sprite("scenery", name, box),
      svg("rect", {
        class: "landmark-hit",
        x: x - w / 2,
        y: y - h / 2 - 6,
        width: w,
        height: h + 12,
        rx: 16,
      }),
    ),
  );
}
