// Counts the choices of the tray that do not fit, and shows all of them over the board. Loaded with the first choices.

import { loadStylesheet, targetOf } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";

// Rounding of positions, and the shadow of a choice.
const SLACK_PX = 6;

/**
 * MoreChoices(root, choices, button) -> {count()}
 * @param {HTMLElement} root
 * @param {HTMLElement} choices
 * @param {HTMLButtonElement} button
 */
export async function MoreChoices(root, choices, button) {
  await loadStylesheet("help");
  const isExpanded = () => choices.classList.contains("expanded");

  function count() {
    button.setAttribute("aria-expanded", String(isExpanded()));
    if (isExpanded()) return;
    const frame = choices.getBoundingClientRect();
    const hiddenCount = [...choices.children].filter((choice) => {
      const box = choice.getBoundingClientRect();
      return box.bottom > frame.bottom + SLACK_PX || box.right > frame.right + SLACK_PX;
    }).length;
    button.hidden = !hiddenCount || choices.hidden;
    const words = tn("{n} more", "{n} more", hiddenCount);
    if (button.textContent !== words) button.textContent = words;
  }

  /** @param {boolean} isOn */
  function expand(isOn) {
    if (isExpanded() === isOn) return;
    choices.classList.toggle("expanded", isOn);
    count();
    if (isOn) button.textContent = t("Show fewer");
  }

  button.addEventListener("click", () => expand(!isExpanded()));
  new ResizeObserver(count).observe(choices);
  choices.addEventListener("scroll", count);
  addEventListener("pointerdown", (event) => !root.contains(targetOf(event)) && expand(false));
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isExpanded()) return;
    event.preventDefault();
    expand(false);
    button.focus();
  });
  return { count };
}
