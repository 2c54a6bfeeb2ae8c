// Animations: pirates walk, cards fly, the sloop sails. All can be interrupted; none run with reduced motion or in a
// hidden page.

const reducedMotion =
  typeof matchMedia === "function" ? matchMedia("(prefers-reduced-motion: reduce)") : { matches: true };

// Multiplies every duration; 0 switches animations off.
let durationFactor = 1;

export const canAnimate = () =>
  durationFactor > 0 && !reducedMotion.matches && document.visibilityState !== "hidden";

/**
 * Set the factor by which all durations are multiplied from now on.
 * @param {number} factor
 */
export function setDurationFactor(factor) {
  durationFactor = factor;
}

/** @type {Map<Element, Animation>} */
const running = new Map();

/**
 * Finish the animation of an element. Its final state is already in the DOM.
 * @param {Element} element
 */
function finish(element) {
  running.get(element)?.finish();
  running.delete(element);
}

export function finishAll() {
  for (const element of [...running.keys()]) finish(element);
}

/**
 * Play keyframes; resolves when they are over or interrupted. The final state must already be in the DOM.
 * @param {Element} element
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions & { duration: number }} options
 */
export function animate(element, frames, { duration, delay = 0, ...options }) {
  finish(element);
  if (!canAnimate()) return Promise.resolve();
  const animation = element.animate(frames, {
    easing: "ease-in-out",
    duration: duration * durationFactor,
    delay: delay * durationFactor,
    ...options,
  });
  running.set(element, animation);
  return animation.finished
    .catch(() => {})
    .then(() => {
      if (running.get(element) === animation) running.delete(element);
    });
}

/**
 * Walk an SVG group along points of its own coordinate system in small hops, like a figure moved by hand.
 * @param {Element} element
 * @param {number[][]} points
 * @param {{ scale?: number }} [options]
 */
export function walk(element, points, { scale = 1 } = {}) {
  if (points.length < 2) return Promise.resolve();
  /** @type {Keyframe[]} */
  const frames = [];
  points.forEach(([x, y], at) => {
    frames.push({ transform: `translate(${x}px, ${y}px) scale(${scale})` });
    const next = points[at + 1];
    if (next)
      frames.push({
        transform: `translate(${(x + next[0]) / 2}px, ${(y + next[1]) / 2 - 16}px) scale(${scale})`,
      });
  });
  return animate(element, frames, { duration: Math.min(1100, 260 + 75 * points.length) });
}

/**
 * Slide an SVG group from an offset to its current position.
 * @param {Element} element
 * @param {number} dx
 * @param {number} dy
 * @param {number} [duration]
 */
export function slide(element, dx, dy, duration = 900) {
  return animate(
    element,
    [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "translate(0px, 0px)" }],
    {
      duration,
    },
  );
}

/**
 * Fly a card element across the page from one element to another, then remove it.
 * @param {HTMLElement} card
 * @param {Element | null} from
 * @param {Element | null} to
 * @param {{ delay?: number }} [options]
 */
export function fly(card, from, to, { delay = 0 } = {}) {
  if (!canAnimate() || !from || !to) return Promise.resolve();
  const a = from.getBoundingClientRect();
  const b = to.getBoundingClientRect();
  if (!a.width || !b.width) return Promise.resolve();
  card.classList.add("flying");
  card.setAttribute("aria-hidden", "true");
  document.body.append(card);
  const size = card.getBoundingClientRect();
  /** @param {DOMRect} r */
  const at = (r) =>
    `translate(${r.left + r.width / 2 - size.width / 2}px, ${r.top + r.height / 2 - size.height / 2}px)`;
  return animate(
    card,
    [
      { transform: `${at(a)} scale(0.9)`, opacity: 0.9 },
      { transform: `${at(b)} scale(0.7)`, opacity: 0.6 },
    ],
    { duration: 420, delay, fill: "backwards", easing: "cubic-bezier(.3,.1,.3,1)" },
  ).then(() => card.remove());
}
