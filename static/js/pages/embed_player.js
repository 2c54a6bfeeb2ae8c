// Steps through a game in an embed: by buttons, slider and keys, or automatically.

/** @import {EmbedState, EmbedChange, Step, Table, View} from "../core/types.d.ts" */

import { find } from "../core/dom.js";
import { describeEvents } from "../core/event_text.js";
import { t } from "../core/i18n.js";

const STEP_MS = 1000;
/** @typedef {"first" | "back" | "on" | "last" | "play"} StepName */

/** @type {Record<string, StepName>} */
const KEY_ACTIONS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };

/**
 * StepPlayer(controls, {table, views, steps}, {show, shouldAutoplay}) -> {start(from), press(name), pressKey(key), last}
 * @param {HTMLElement} controls
 * @param {{ table: Table, views: View[], steps: Step[] }} game
 * @param {{ show: (state: EmbedState, by: EmbedChange) => void, shouldAutoplay: boolean }} options
 */
export function StepPlayer(controls, { table, views, steps }, { show, shouldAutoplay }) {
  /** @type {HTMLInputElement} */
  const slider = find("[data-step]", controls);
  const playButton = find('[data-go="play"]', controls);
  const playWord = find("[data-play-word]", playButton);
  const last = views.length - 1;
  let at = -1;
  let timer = 0;
  slider.max = String(last);

  /** @param {number} n */
  function stepText(n) {
    if (n === 0) return t("The start of the game.");
    const { events, by } = steps[n - 1];
    return describeEvents(events, views[n - 1], table.seats, by).text;
  }

  /** @param {number} to */
  function goTo(to) {
    const next = Math.min(Math.max(to, 0), last);
    const events = next === at + 1 && next > 0 ? steps[next - 1].events : [];
    at = next;
    // Before the last step the game is still running, whatever the table says.
    /** @type {Table["status"]} */
    const status = at === last ? table.status : "running";
    show(
      { table: { ...table, status }, view: views[at] },
      { events, before: views[Math.max(0, at - 1)], text: stepText(at) },
    );
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `${at}: ${stepText(at)}`);
    find("[data-count]", controls).textContent = `${at} / ${last}`;
    if (at === last) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    playButton.setAttribute("aria-pressed", "false");
    playWord.textContent = t("Start the replay");
  }

  function togglePlay() {
    if (timer) return pause();
    if (at === last) goTo(0);
    playButton.setAttribute("aria-pressed", "true");
    playWord.textContent = t("Pause");
    timer = setInterval(() => goTo(at + 1), STEP_MS);
    return undefined;
  }

  const actions = {
    first: () => goTo(0),
    back: () => goTo(at - 1),
    on: () => goTo(at + 1),
    last: () => goTo(last),
    play: togglePlay,
  };

  /** @param {StepName} name */
  function press(name) {
    if (name !== "play") pause();
    actions[name]();
  }

  slider.addEventListener("input", () => {
    pause();
    goTo(Number(slider.value));
  });

  return {
    last,
    press,
    /** @param {string} name */
    pressKey(name) {
      if (!(name in KEY_ACTIONS)) return false;
      press(KEY_ACTIONS[name]);
      return true;
    },
    /** @param {number} from */
    start(from) {
      goTo(from);
      if (shouldAutoplay && from < last) togglePlay();
    },
  };
}
