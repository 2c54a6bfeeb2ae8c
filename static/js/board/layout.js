// Where everything lies on the map: space -> x, y along a winding route. Pure geometry, no DOM.
//
// layout(options, {width, height, fill}) -> {width, height, unit, spaces, start, goal, sloop, sides, scenery}
// in drawing units, where one tile is UNIT long. The number of rows is the one that makes tiles
// largest in the room given, so a phone gets a ladder and a wide screen a few long rows.
// fill: the parchment takes what the road leaves over, so that no bare table shows beside it.

const UNIT = 100;
const TRACK = 0.96; // width of the road, in tiles
const ROW = 1.46; // distance between rows
const LANDMARK = 2.8; // road kept free for prison, sloop or bay
const DOCK = 0.55; // road between the last tile and the water
const SEA = 1.95; // height of the water between passage and jungle
const TOP = 0.95; // room above the first row: towers, hats
const BOTTOM = 0.8;
const EDGE = 0.3;

/** The parts of the route, in order: which spaces, and what lies at either end. */
function sidesOf(options) {
  const passage = options.passage_boards * 6;
  const all = passage + options.jungle_boards * 6;
  if (options.scenario !== "complete") {
    return [{ side: options.scenario, first: 1, last: all, before: LANDMARK, after: LANDMARK }];
  }
  return [
    { side: "passage", first: 1, last: passage, before: LANDMARK, after: DOCK },
    { side: "jungle", first: passage + 1, last: all, before: DOCK, after: LANDMARK },
  ];
}

function measure(part, rows) {
  const turn = (Math.PI * ROW) / 2;
  const length = part.before + (part.last - part.first + 1) + part.after;
  const straight = (length - (rows - 1) * turn) / rows;
  return {
    rows,
    straight,
    width: straight + (rows > 1 ? ROW : 0) + TRACK + 2 * EDGE,
    height: (rows - 1) * ROW + TRACK,
  };
}

/** The arrangement of rows that gives the largest tiles. */
function arrange(parts, room) {
  let best = null;
  const widest = parts.length === 1 ? 14 : 9;
  for (let first = 1; first <= widest; first += 1) {
    for (let second = 1; second <= (parts.length === 2 ? widest : 1); second += 1) {
      const sizes = parts.map((part, at) => measure(part, at === 0 ? first : second));
      if (sizes.some(({ straight }) => straight < LANDMARK + 0.4)) continue;
      const width = Math.max(...sizes.map((size) => size.width));
      const tall = sizes.reduce((sum, size) => sum + size.height, 0) + (parts.length - 1) * SEA;
      const height = tall + TOP + BOTTOM;
      const scale = Math.min(room.width / width, room.height / height);
      if (!best || scale > best.scale) best = { sizes, width, height, scale };
    }
  }
  return best;
}

/** How many pixels a tile would have in this room. */
const tileIn = (options, room) => arrange(sidesOf(options), room).scale;

/** The smallest height, from `height` on, at which a tile has at least `least` pixels. */
export function heightFor(options, { width, height }, least) {
  let tall = height;
  while (tall < 4 * width && tileIn(options, { width, height: tall }) < least) tall += 16;
  return tall;
}

/** The drawing grown to the room's shape, by whole quarters of a tile: a pixel more or less draws nothing anew. */
function grown({ width, height }, room) {
  if (!room.fill) return { width, height };
  const quarter = (value) => Math.floor(value * 4 + 0.001) / 4;
  const shape = room.width / room.height;
  return {
    width: Math.max(width, quarter(Math.min(height * shape, width * 1.5))),
    height: Math.max(height, quarter(Math.min(width / shape, height * 1.5))),
  };
}

/** The middle line of one side as a fine polyline, before the map's waviness. */
function centreline(size, top, middle, rightward) {
  const points = [];
  const half = size.straight / 2;
  const radius = ROW / 2;
  let direction = rightward ? 1 : -1;
  for (let row = 0; row < size.rows; row += 1) {
    const y = top + row * ROW;
    for (let step = 0; step <= 60; step += 1)
      points.push([middle + direction * (-half + (size.straight * step) / 60), y]);
    if (row < size.rows - 1) {
      for (let step = 1; step < 30; step += 1) {
        const angle = -Math.PI / 2 + (Math.PI * step) / 30;
        points.push([middle + direction * (half + radius * Math.cos(angle)), y + radius + radius * Math.sin(angle)]);
      }
    }
    direction = -direction;
  }
  return points;
}

/** A hand-drawn map has no ruler: bend everything by the same gentle wave, so rows stay apart. */
function bend([x, y]) {
  return [x + 0.05 * Math.sin(y * 1.7 + 0.6), y + 0.1 * Math.sin(x * 0.95 + 0.4)];
}

/** A road one can walk along by length. */
function road(points) {
  const lengths = [0];
  for (let at = 1; at < points.length; at += 1) {
    lengths.push(lengths[at - 1] + Math.hypot(points[at][0] - points[at - 1][0], points[at][1] - points[at - 1][1]));
  }
  const total = lengths[lengths.length - 1];
  const at = (distance) => {
    const wanted = Math.min(Math.max(distance, 0), total);
    let low = 0;
    let high = lengths.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (lengths[middle] <= wanted) low = middle;
      else high = middle;
    }
    const part = (wanted - lengths[low]) / (lengths[high] - lengths[low] || 1);
    const [x0, y0] = points[low];
    const [x1, y1] = points[high];
    const span = Math.hypot(x1 - x0, y1 - y0) || 1;
    return { x: x0 + (x1 - x0) * part, y: y0 + (y1 - y0) * part, nx: -(y1 - y0) / span, ny: (x1 - x0) / span };
  };
  return { total, at };
}

const round = (value) => Math.round(value * UNIT * 10) / 10;

/** The outline of a piece of road between two distances, as an SVG path. */
function piece(way, from, to, width) {
  const left = [];
  const right = [];
  const steps = 8;
  for (let step = 0; step <= steps; step += 1) {
    const { x, y, nx, ny } = way.at(from + ((to - from) * step) / steps);
    left.push(`${round(x + (nx * width) / 2)} ${round(y + (ny * width) / 2)}`);
    right.unshift(`${round(x - (nx * width) / 2)} ${round(y - (ny * width) / 2)}`);
  }
  return `M${left.join("L")}L${right.join("L")}Z`;
}

const box = ({ x, y }, w, h) => ({ x: round(x), y: round(y), w: round(w), h: round(h) });

export function layout(options, room) {
  const parts = sidesOf(options);
  const found = arrange(parts, room);
  const { sizes } = found;
  const { width, height } = grown(found, room);
  const spaces = [];
  const sides = [];
  const ends = [];
  let top = TOP + TRACK / 2 + (height - found.height) / 2;
  let rightward = true;
  parts.forEach((part, index) => {
    const size = sizes[index];
    const way = road(centreline(size, top, width / 2, rightward).map(bend));
    const step = way.total / (part.before + (part.last - part.first + 1) + part.after);
    for (let space = part.first; space <= part.last; space += 1) {
      const from = (part.before + space - part.first) * step;
      const { x, y } = way.at(from + step / 2);
      const corner = way.at(from + step * 0.22);
      const upward = corner.ny > 0 ? -0.53 : 0.53; // a milestone stands on the road's upper edge
      spaces.push({
        space,
        side: part.side,
        board: Math.floor((space - 1) / 6),
        x: round(x),
        y: round(y),
        plate: { x: round(corner.x + corner.nx * upward), y: round(corner.y + corner.ny * upward) },
        d: piece(way, from + 0.025, from + step - 0.025, TRACK),
      });
    }
    const bottom = top + size.height - TRACK;
    sides.push({
      side: part.side,
      top: round(index === 0 ? 0 : top - TRACK / 2 - 0.25),
      bottom: round(index === parts.length - 1 ? height : bottom + TRACK / 2 + 0.25),
      road: ribbon(way, part.before * step - 0.08, way.total - part.after * step + 0.08),
    });
    ends.push({
      first: way.at((part.before * step) / 2),
      last: way.at(way.total - (part.after * step) / 2),
      way,
      step,
      bottom,
    });
    if (size.rows % 2 === 0) rightward = !rightward; // the sloop crosses, and the jungle road goes on the way it came
    top = bottom + TRACK + SEA;
  });
  const last = ends[ends.length - 1];
  return {
    width: round(width),
    height: round(height),
    unit: UNIT,
    spaces,
    sides,
    start: box(ends[0].first, 2.5, 1.5),
    goal: box(last.last, 2.5, 1.5),
    sloop: parts.length === 2 ? harbour(ends, sizes, width) : null,
    bare: bareSpots(ends, width, height, parts.length === 2 ? ends[0].bottom + TRACK / 2 : null),
  };
}

/** A wide ribbon under the tiles: the ground the boards lie on. */
function ribbon(way, from, to) {
  const pieces = [];
  for (let at = from; at < to; at += 1) pieces.push(piece(way, at - 0.06, Math.min(at + 1.06, to), TRACK + 0.2));
  return pieces.join("");
}

/** The water between the sides and the two places where the sloop can lie. */
function harbour(ends, sizes, width) {
  const y = ends[0].bottom + TRACK / 2 + SEA / 2;
  const onRight = ends[0].last.x > width / 2;
  const reach = Math.min(width / 2 - 1.7, sizes[0].straight / 2 - 0.4);
  const near = width / 2 + (onRight ? reach : -reach);
  const far = width / 2 + (onRight ? -reach : reach);
  return {
    top: round(ends[0].bottom + TRACK / 2 + 0.25),
    bottom: round(ends[0].bottom + TRACK / 2 + SEA - 0.25),
    cartagena: box({ x: near, y }, 2.5, 1.5),
    tortuga: box({ x: far, y }, 2.5, 1.5),
    dock: { x: round(ends[0].last.x), y: round(ends[0].last.y) },
    landing: { x: round(ends[1].first.x), y: round(ends[1].first.y) },
  };
}

/** Spots of bare map for rocks, ferns and a compass rose; the same for the same route. */
function bareSpots(ends, width, height, sea) {
  const spots = [];
  const taken = [];
  for (const { way } of ends) for (let at = 0; at <= way.total; at += 0.25) taken.push(way.at(at));
  const landmarks = [ends[0].first, ends[ends.length - 1].last];
  let chance = 7;
  const next = () => (chance = (chance * 16807) % 2147483647) / 2147483647;
  for (let attempt = 0; attempt < 900 && spots.length < 60; attempt += 1) {
    const x = 0.42 + next() * (width - 0.84);
    const y = 0.42 + next() * (height - 0.84);
    if (sea !== null && y > sea && y < sea + SEA) continue;
    if (landmarks.some((mark) => Math.abs(mark.x - x) < 1.7 && y > mark.y - 1.5 && y < mark.y + 1.1)) continue;
    const away = Math.min(...taken.map((point) => Math.hypot(point.x - x, point.y - y)));
    if (away < TRACK / 2 + 0.2 || spots.some((spot) => Math.hypot(spot.ux - x, spot.uy - y) < 0.5)) continue;
    spots.push({
      ux: x,
      uy: y,
      x: round(x),
      y: round(y),
      room: round(Math.min(away - TRACK / 2, x - 0.2, y - 0.2, width - x - 0.2, height - y - 0.2)),
      pick: next(),
    });
  }
  return spots;
}

/** Where the pirates of a space stand: feet, for 1 to 3 of them. */
export function standing(count) {
  const gap = count === 3 ? 0.31 : 0.42;
  return Array.from({ length: count }, (_, at) => ({ dx: (at - (count - 1) / 2) * gap * UNIT, dy: 0.43 * UNIT }));
}

/** Where the groups of a big place (start, sloop, goal) stand, one a colour. */
export function grouped(count) {
  const gap = Math.min(0.58, 2.15 / Math.max(count, 1));
  return Array.from({ length: count }, (_, at) => ({ dx: (at - (count - 1) / 2) * gap * UNIT, dy: 0.45 * UNIT }));
}
