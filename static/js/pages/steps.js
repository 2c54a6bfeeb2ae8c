// Going through a game step by step, in a frame: buttons, slider, keys, or by itself.

import { find } from "../core/dom.js";
import { eventLine } from "../core/event_text.js";
import { t } from "../core/i18n.js";

const PACE = 1000; // milliseconds a step
const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };

/** Steps(deck, {table, views, steps}, {show, isPlayingByItself}) -> {begin(at), press(name), key(name), last} */
export function Steps(deck, { table, views, steps }, { show, isPlayingByItself }) {
  const slider = find("[data-step]", deck);
  const playing = find('[data-go="play"]', deck);
  const last = views.length - 1;
  let at = -1;
  let timer = 0;
  slider.max = String(last);

  function words(n) {
    if (n === 0) return t("The start of the game.");
    const { events, by } = steps[n - 1];
    return eventLine(events, views[n - 1], table.seats, by).text;
  }

  function go(to) {
    const next = Math.min(Math.max(to, 0), last);
    const events = next === at + 1 && next > 0 ? steps[next - 1].events : [];
    at = next;
    // until the last step nobody has won yet, whatever the table says by now
    const status = at === last ? table.status : "running";
    show({ table: { ...table, status }, view: views[at] }, { events, before: views[Math.max(0, at - 1)], said: words(at) });
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `${at}: ${words(at)}`);
    find("[data-count]", deck).textContent = `${at} / ${last}`;
    if (at === last) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    playing.setAttribute("aria-pressed", "false");
    playing.textContent = t("Play back");
  }

  function play() {
    if (timer) return pause();
    if (at === last) go(0);
    playing.setAttribute("aria-pressed", "true");
    playing.textContent = t("Pause");
    timer = setInterval(() => go(at + 1), PACE);
    return undefined;
  }

  const actions = { first: () => go(0), back: () => go(at - 1), on: () => go(at + 1), last: () => go(last), play };

  function press(name) {
    if (name !== "play") pause();
    actions[name]();
  }

  slider.addEventListener("input", () => {
    pause();
    go(Number(slider.value));
  });

  return {
    last,
    press,
    key(name) {
      if (!(name in KEYS)) return false;
      press(KEYS[name]);
      return true;
    },
    begin(from) {
      go(from);
      if (isPlayingByItself && from < last) play();
    },
  };
}
