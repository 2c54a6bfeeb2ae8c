// Examples in the rules: small boards played by the server's engine.

/** @import {Action, Card, GameEvent, View} from "../core/types.d.ts" */

import { Board } from "../board/board.js";
import { el, find, findAll, setChildren, svg } from "../core/dom.js";
import { describeEvents } from "../core/event_text.js";
import { t } from "../core/i18n.js";
import { symbolIcon } from "../core/icons.js";
import { describeCardObjects } from "../core/names.js";
import { playPractice } from "./practice.js";

// Time to read between two actions.
const PAUSE_MS = 1400;

/**
 * Describe events like the log. Players are named by colour, so sentences are capitalised here.
 * @param {View} view
 * @param {GameEvent[]} events
 */
function describe(view, events) {
  const { text } = describeEvents(events, view, null);
  return text.replace(/(^|[.!] )(\p{Ll})/gu, (_, before, letter) => before + letter.toLocaleUpperCase());
}

/**
 * @param {HTMLElement} box
 * @param {View} view
 */
function showHand(box, { players }) {
  const hand = /** @type {Card[]} */ (players[0].hand);
  box.setAttribute("role", "img");
  box.setAttribute(
    "aria-label",
    hand.length ? t("Red has {cards}.", { cards: describeCardObjects(hand) }) : t("Red has no cards."),
  );
  box.replaceChildren(
    ...hand.map((card) =>
      el(card.endsWith("*") ? "span.demo-card.dark" : "span.demo-card", {}, symbolIcon(card, "symbol")),
    ),
  );
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** @param {HTMLElement} figure */
async function initExample(figure) {
  const name = `demo-${figure.dataset.demo}`;
  /** @type {HTMLButtonElement} */
  const play = find("[data-demo-play]", figure);
  const again = find("[data-demo-reset]", figure);
  const caption = find("[data-demo-said]", figure);
  const hand = find("[data-demo-hand]", figure);
  const picture = svg("svg");
  setChildren(find("[data-demo-board]", figure), picture);
  const board = Board(picture, { interactive: false });
  const first = await playPractice(name, []);
  const { from } = first.show;

  function reset() {
    board.set(first.view);
    board.mark(from === undefined ? {} : { sources: [from] });
    showHand(hand, first.view);
    caption.textContent = "";
    play.hidden = false;
    again.hidden = true;
  }

  /**
   * @param {Action[]} actions
   * @param {View} before
   */
  async function act(actions, before) {
    const after = await playPractice(name, actions);
    board.mark({});
    board.set(after.view, after.events);
    showHand(hand, after.view);
    caption.textContent = [caption.textContent, describe(before, after.events)].filter(Boolean).join(" ");
    return after.view;
  }

  play.addEventListener("click", async () => {
    play.disabled = true;
    try {
      const script = [first.show, ...first.then];
      let { view } = first;
      for (let n = 1; n <= script.length; n += 1) {
        if (n > 1) await pause();
        view = await act(script.slice(0, n), view);
      }
    } finally {
      play.disabled = false;
    }
    play.hidden = true;
    again.hidden = false;
    again.focus({ preventScroll: true });
  });
  again.addEventListener("click", () => {
    reset();
    play.focus({ preventScroll: true });
  });
  reset();
}

// Load all examples, not only visible ones: the page may be printed.
for (const figure of findAll("[data-demo]")) {
  await initExample(figure).catch(() => {
    // Without the server the example is left out.
    figure.hidden = true;
  });
}
