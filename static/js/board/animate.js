// Motion: pirates walk, cards fly, the sloop sails. Always interruptible, none with reduced motion or in a hidden page.

const still = typeof matchMedia === "function" ? matchMedia("(prefers-reduced-motion: reduce)") : { matches: true };

let speed = 1; // of the usual time that motion takes; 0: none

export const mayMove = () => speed > 0 && !still.matches && document.visibilityState !== "hidden";

/** How long motion takes from now on, as a part of the usual time. */
export function setSpeed(factor) {
  speed = factor;
}

const running = new Map(); // element -> Animation

/** End what still moves; everything already stands where it belongs. */
export function settle(element) {
  running.get(element)?.finish();
  running.delete(element);
}

export function settleAll() {
  for (const element of [...running.keys()]) settle(element);
}

/** Play keyframes; resolves when over or interrupted. The end state is already in the DOM. */
export function play(element, frames, { duration, delay = 0, ...options }) {
  settle(element);
  if (!mayMove()) return Promise.resolve();
  const animation = element.animate(frames, {
    easing: "ease-in-out",
    duration: duration * speed,
    delay: delay * speed,
    ...options,
  });
  running.set(element, animation);
  return animation.finished
    .catch(() => {})
    .then(() => {
      if (running.get(element) === animation) running.delete(element);
    });
}

/** Walk an SVG group along points (its own coordinates); small hops, as a figure is walked by hand. */
export function walk(element, points, { scale = 1 } = {}) {
  if (points.length < 2) return Promise.resolve();
  const frames = [];
  points.forEach(([x, y], at) => {
    frames.push({ transform: `translate(${x}px, ${y}px) scale(${scale})` });
    const next = points[at + 1];
    if (next)
      frames.push({ transform: `translate(${(x + next[0]) / 2}px, ${(y + next[1]) / 2 - 16}px) scale(${scale})` });
  });
  return play(element, frames, { duration: Math.min(1100, 260 + 75 * points.length) });
}

/** Slide an SVG group by an offset to where it now is. */
export function slide(element, dx, dy, duration = 900) {
  return play(element, [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "translate(0px, 0px)" }], {
    duration,
  });
}

/** A card flies across the page from one element to another. `card` is the ready-made element to fly. */
export function fly(card, from, to, { delay = 0 } = {}) {
  if (!mayMove() || !from || !to) return Promise.resolve();
  const a = from.getBoundingClientRect();
  const b = to.getBoundingClientRect();
  if (!a.width || !b.width) return Promise.resolve();
  card.classList.add("flying");
  card.setAttribute("aria-hidden", "true");
  document.body.append(card);
  const size = card.getBoundingClientRect();
  const at = (r) =>
    `translate(${r.left + r.width / 2 - size.width / 2}px, ${r.top + r.height / 2 - size.height / 2}px)`;
  return play(
    card,
    [
      { transform: `${at(a)} scale(0.9)`, opacity: 0.9 },
      { transform: `${at(b)} scale(0.7)`, opacity: 0.6 },
    ],
    { duration: 420, delay, fill: "backwards", easing: "cubic-bezier(.3,.1,.3,1)" },
  ).then(() => card.remove());
}
