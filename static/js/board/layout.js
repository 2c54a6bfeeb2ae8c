// The layout of the map: coordinates of every space along a winding road. Pure geometry, no DOM.
//
// layout(options, {width, height, fill}) -> {width, height, unit, spaces, sides, start, goal, sloop, bare}
// in drawing units; a tile is TILE_UNITS long. It chooses the number of rows that gives the largest tiles, so a phone
// gets many short rows and a wide screen a few long ones. With `fill` the parchment grows to the whole room.

/** @import {Options, Plan, Point, Side, Space} from "../core/types.d.ts" */

/**
 * A part of the route: its first and last space, and the length of road before and after them.
 * @typedef {{ side: Side, first: number, last: number, before: number, after: number }} Stretch
 *
 * The space available to the map. `fill`: the map may grow to its shape.
 * @typedef {{ width: number, height: number, fill?: boolean }} MapRoom
 *
 * @typedef {ReturnType<typeof measureRows>} RowSizes
 * @typedef {{ sizes: RowSizes[], width: number, height: number, scale: number }} Arrangement
 * @typedef {ReturnType<typeof makeRoad>} Road
 * @typedef {ReturnType<Road["at"]>} RoadPoint
 * @typedef {{ first: RoadPoint, last: RoadPoint, road: Road, step: number, bottom: number }} StretchEnds
 */

const TILE_UNITS = 100;
// All other lengths are in tiles.
const ROAD_WIDTH = 0.96;
const ROW_DISTANCE = 1.46;
// Road kept free for prison, sloop or bay.
const LANDMARK_LENGTH = 2.8;
// Road between the last tile and the water.
const DOCK_LENGTH = 0.55;
const SEA_HEIGHT = 1.95;
// Leaves room for towers and hats above the first row.
const TOP_MARGIN = 0.95;
const BOTTOM_MARGIN = 0.8;
const EDGE_MARGIN = 0.3;

/**
 * Return the parts of the route in order.
 * @param {Options} options
 * @returns {Stretch[]}
 */
function routeStretches(options) {
  const passage = options.passage_boards * 6;
  const all = passage + options.jungle_boards * 6;
  if (options.scenario !== "complete") {
    return [{ side: options.scenario, first: 1, last: all, before: LANDMARK_LENGTH, after: LANDMARK_LENGTH }];
  }
  return [
    { side: "passage", first: 1, last: passage, before: LANDMARK_LENGTH, after: DOCK_LENGTH },
    { side: "jungle", first: passage + 1, last: all, before: DOCK_LENGTH, after: LANDMARK_LENGTH },
  ];
}

/**
 * @param {Stretch} part
 * @param {number} rows
 */
function measureRows(part, rows) {
  const curveLength = (Math.PI * ROW_DISTANCE) / 2;
  const length = part.before + (part.last - part.first + 1) + part.after;
  const straight = (length - (rows - 1) * curveLength) / rows;
  return {
    rows,
    straight,
    width: straight + (rows > 1 ? ROW_DISTANCE : 0) + ROAD_WIDTH + 2 * EDGE_MARGIN,
    height: (rows - 1) * ROW_DISTANCE + ROAD_WIDTH,
  };
}

/**
 * Return the arrangement of rows that gives the largest tiles.
 * @param {Stretch[]} parts
 * @param {MapRoom} room
 */
function chooseRows(parts, room) {
  /** @type {Arrangement | null} */
  let best = null;
  const maxRows = parts.length === 1 ? 14 : 9;
  for (let first = 1; first <= maxRows; first += 1) {
    for (let second = 1; second <= (parts.length === 2 ? maxRows : 1); second += 1) {
      const sizes = parts.map((part, at) => measureRows(part, at === 0 ? first : second));
      if (sizes.some(({ straight }) => straight < LANDMARK_LENGTH + 0.4)) continue;
      const width = Math.max(...sizes.map((size) => size.width));
      const tall = sizes.reduce((sum, size) => sum + size.height, 0) + (parts.length - 1) * SEA_HEIGHT;
      const height = tall + TOP_MARGIN + BOTTOM_MARGIN;
      const scale = Math.min(room.width / width, room.height / height);
      if (!best || scale > best.scale) best = { sizes, width, height, scale };
    }
  }
  // Never null: one row always fits.
  return /** @type {Arrangement} */ (best);
}

/**
 * Return the size of a tile in this room, in pixels.
 * @param {Options} options
 * @param {MapRoom} room
 */
const tileSize = (options, room) => chooseRows(routeStretches(options), room).scale;

/**
 * Return the smallest height, starting at `height`, at which a tile has at least `leastTile` pixels.
 * @param {Options} options
 * @param {MapRoom} room
 * @param {number} leastTile
 */
export function heightForTile(options, { width, height }, leastTile) {
  let tall = height;
  while (tall < 4 * width && tileSize(options, { width, height: tall }) < leastTile) tall += 16;
  return tall;
}

/**
 * Return the size grown to the room's shape, in whole quarters of a tile so that a change of a few pixels causes no
 * redraw.
 * @param {{ width: number, height: number }} found
 * @param {MapRoom} room
 */
function growToRoom({ width, height }, room) {
  if (!room.fill) return { width, height };
  /** @param {number} value */
  const quarter = (value) => Math.floor(value * 4 + 0.001) / 4;
  const shape = room.width / room.height;
  return {
    width: Math.max(width, quarter(Math.min(height * shape, width * 1.5))),
    height: Math.max(height, quarter(Math.min(width / shape, height * 1.5))),
  };
}

/**
 * Return the centre line of one side as a polyline, before `addWaviness`.
 * @param {RowSizes} size
 * @param {number} top
 * @param {number} middle
 * @param {boolean} rightward
 */
function centreline(size, top, middle, rightward) {
  const points = [];
  const half = size.straight / 2;
  const radius = ROW_DISTANCE / 2;
  let direction = rightward ? 1 : -1;
  for (let row = 0; row < size.rows; row += 1) {
    const y = top + row * ROW_DISTANCE;
    for (let step = 0; step <= 60; step += 1)
      points.push([middle + direction * (-half + (size.straight * step) / 60), y]);
    if (row < size.rows - 1) {
      for (let step = 1; step < 30; step += 1) {
        const angle = -Math.PI / 2 + (Math.PI * step) / 30;
        points.push([
          middle + direction * (half + radius * Math.cos(angle)),
          y + radius + radius * Math.sin(angle),
        ]);
      }
    }
    direction = -direction;
  }
  return points;
}

/**
 * Bend a point by a gentle wave, for a hand-drawn look. The wave is the same everywhere, so rows do not collide.
 * @param {number[]} pair
 */
function addWaviness([x, y]) {
  return [x + 0.05 * Math.sin(y * 1.7 + 0.6), y + 0.1 * Math.sin(x * 0.95 + 0.4)];
}

/**
 * Return a road whose points can be looked up by distance.
 * @param {number[][]} points
 */
function makeRoad(points) {
  const lengths = [0];
  for (let at = 1; at < points.length; at += 1) {
    lengths.push(
      lengths[at - 1] + Math.hypot(points[at][0] - points[at - 1][0], points[at][1] - points[at - 1][1]),
    );
  }
  const total = lengths[lengths.length - 1];
  /** @param {number} distance */
  const at = (distance) => {
    const clamped = Math.min(Math.max(distance, 0), total);
    let low = 0;
    let high = lengths.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (lengths[middle] <= clamped) low = middle;
      else high = middle;
    }
    const part = (clamped - lengths[low]) / (lengths[high] - lengths[low] || 1);
    const [x0, y0] = points[low];
    const [x1, y1] = points[high];
    const span = Math.hypot(x1 - x0, y1 - y0) || 1;
    return {
      x: x0 + (x1 - x0) * part,
      y: y0 + (y1 - y0) * part,
      nx: -(y1 - y0) / span,
      ny: (x1 - x0) / span,
    };
  };
  return { total, at };
}

/** @param {number} value */
const toUnits = (value) => Math.round(value * TILE_UNITS * 10) / 10;

/**
 * Return the outline of the road between two distances, as an SVG path.
 * @param {Road} road
 * @param {number} from
 * @param {number} to
 * @param {number} width
 */
function roadPiece(road, from, to, width) {
  const left = [];
  const right = [];
  const steps = 8;
  for (let step = 0; step <= steps; step += 1) {
    const { x, y, nx, ny } = road.at(from + ((to - from) * step) / steps);
    left.push(`${toUnits(x + (nx * width) / 2)} ${toUnits(y + (ny * width) / 2)}`);
    right.unshift(`${toUnits(x - (nx * width) / 2)} ${toUnits(y - (ny * width) / 2)}`);
  }
  return `M${left.join("L")}L${right.join("L")}Z`;
}

/**
 * @param {Point} point
 * @param {number} w
 * @param {number} h
 */
const toBox = ({ x, y }, w, h) => ({ x: toUnits(x), y: toUnits(y), w: toUnits(w), h: toUnits(h) });

/**
 * @param {Options} options
 * @param {MapRoom} room
 */
export function layout(options, room) {
  const parts = routeStretches(options);
  const arrangement = chooseRows(parts, room);
  const { sizes } = arrangement;
  const { width, height } = growToRoom(arrangement, room);
  /** @type {Space[]} */
  const spaces = [];
  /** @type {Plan["sides"]} */
  const sides = [];
  /** @type {StretchEnds[]} */
  const ends = [];
  let top = TOP_MARGIN + ROAD_WIDTH / 2 + (height - arrangement.height) / 2;
  let rightward = true;
  parts.forEach((part, index) => {
    const size = sizes[index];
    const road = makeRoad(centreline(size, top, width / 2, rightward).map(addWaviness));
    const step = road.total / (part.before + (part.last - part.first + 1) + part.after);
    for (let space = part.first; space <= part.last; space += 1) {
      const from = (part.before + space - part.first) * step;
      const { x, y } = road.at(from + step / 2);
      const corner = road.at(from + step * 0.22);
      // A milestone stands on the upper edge of the road.
      const upward = corner.ny > 0 ? -0.53 : 0.53;
      spaces.push({
        space,
        side: part.side,
        board: Math.floor((space - 1) / 6),
        x: toUnits(x),
        y: toUnits(y),
        plate: { x: toUnits(corner.x + corner.nx * upward), y: toUnits(corner.y + corner.ny * upward) },
        d: roadPiece(road, from + 0.025, from + step - 0.025, ROAD_WIDTH),
      });
    }
    const bottom = top + size.height - ROAD_WIDTH;
    sides.push({
      side: part.side,
      top: toUnits(index === 0 ? 0 : top - ROAD_WIDTH / 2 - 0.25),
      bottom: toUnits(index === parts.length - 1 ? height : bottom + ROAD_WIDTH / 2 + 0.25),
      road: ribbon(road, part.before * step - 0.08, road.total - part.after * step + 0.08),
    });
    ends.push({
      first: road.at((part.before * step) / 2),
      last: road.at(road.total - (part.after * step) / 2),
      road,
      step,
      bottom,
    });
    // The jungle road starts on the side where the passage ended.
    if (size.rows % 2 === 0) rightward = !rightward;
    top = bottom + ROAD_WIDTH + SEA_HEIGHT;
  });
  const last = ends[ends.length - 1];
  return {
    width: toUnits(width),
    height: toUnits(height),
    unit: TILE_UNITS,
    spaces,
    sides,
    start: toBox(ends[0].first, 2.5, 1.5),
    goal: toBox(last.last, 2.5, 1.5),
    sloop: parts.length === 2 ? layHarbour(ends, sizes, width) : null,
    bare: findBareSpots(ends, width, height, parts.length === 2 ? ends[0].bottom + ROAD_WIDTH / 2 : null),
  };
}

/**
 * Return the outline of the ground under the tiles, a little wider than the road.
 * @param {Road} road
 * @param {number} from
 * @param {number} to
 */
function ribbon(road, from, to) {
  const pieces = [];
  for (let at = from; at < to; at += 1)
    pieces.push(roadPiece(road, at - 0.06, Math.min(at + 1.06, to), ROAD_WIDTH + 0.2));
  return pieces.join("");
}

/**
 * Lay out the water between passage and jungle and the two berths of the sloop.
 * @param {StretchEnds[]} ends
 * @param {RowSizes[]} sizes
 * @param {number} width
 */
function layHarbour(ends, sizes, width) {
  const y = ends[0].bottom + ROAD_WIDTH / 2 + SEA_HEIGHT / 2;
  const onRight = ends[0].last.x > width / 2;
  const reach = Math.min(width / 2 - 1.7, sizes[0].straight / 2 - 0.4);
  const near = width / 2 + (onRight ? reach : -reach);
  const far = width / 2 + (onRight ? -reach : reach);
  return {
    top: toUnits(ends[0].bottom + ROAD_WIDTH / 2 + 0.25),
    bottom: toUnits(ends[0].bottom + ROAD_WIDTH / 2 + SEA_HEIGHT - 0.25),
    cartagena: toBox({ x: near, y }, 2.5, 1.5),
    tortuga: toBox({ x: far, y }, 2.5, 1.5),
    dock: { x: toUnits(ends[0].last.x), y: toUnits(ends[0].last.y) },
    landing: { x: toUnits(ends[1].first.x), y: toUnits(ends[1].first.y) },
  };
}

/**
 * Return empty spots of the map for ornaments. Deterministic: the same route always gives the same spots.
 * @param {StretchEnds[]} ends
 * @param {number} width
 * @param {number} height
 * @param {number | null} sea
 */
function findBareSpots(ends, width, height, sea) {
  /** @type {Plan["bare"]} */
  const spots = [];
  const roadPoints = [];
  for (const { road } of ends) for (let at = 0; at <= road.total; at += 0.25) roadPoints.push(road.at(at));
  const landmarks = [ends[0].first, ends[ends.length - 1].last];
  let randomState = 7;
  const nextRandom = () => {
    randomState = (randomState * 16807) % 2147483647;
    return randomState / 2147483647;
  };
  for (let attempt = 0; attempt < 900 && spots.length < 60; attempt += 1) {
    const x = 0.42 + nextRandom() * (width - 0.84);
    const y = 0.42 + nextRandom() * (height - 0.84);
    if (sea !== null && y > sea && y < sea + SEA_HEIGHT) continue;
    if (landmarks.some((mark) => Math.abs(mark.x - x) < 1.7 && y > mark.y - 1.5 && y < mark.y + 1.1))
      continue;
    const distance = Math.min(...roadPoints.map((point) => Math.hypot(point.x - x, point.y - y)));
    if (distance < ROAD_WIDTH / 2 + 0.2 || spots.some((spot) => Math.hypot(spot.ux - x, spot.uy - y) < 0.5))
      continue;
    spots.push({
      ux: x,
      uy: y,
      x: toUnits(x),
      y: toUnits(y),
      room: toUnits(Math.min(distance - ROAD_WIDTH / 2, x - 0.2, y - 0.2, width - x - 0.2, height - y - 0.2)),
      pick: nextRandom(),
    });
  }
  return spots;
}

/**
 * Return where the pirates of one space stand (their feet), for 1 to 3 pirates.
 * @param {number} count
 */
export function figureOffsets(count) {
  const gap = count === 3 ? 0.31 : 0.42;
  return Array.from({ length: count }, (_, at) => ({
    dx: (at - (count - 1) / 2) * gap * TILE_UNITS,
    dy: 0.43 * TILE_UNITS,
  }));
}

/**
 * Return where the groups at a landmark stand, one group per colour.
 * @param {number} count
 */
export function groupOffsets(count) {
  const gap = Math.min(0.58, 2.15 / Math.max(count, 1));
  return Array.from({ length: count }, (_, at) => ({
    dx: (at - (count - 1) / 2) * gap * TILE_UNITS,
    dy: 0.45 * TILE_UNITS,
  }));
}
