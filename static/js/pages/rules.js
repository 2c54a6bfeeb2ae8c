// Examples in the rules: small live boards, played by the real engine.
import { Board } from "../board/board.js";
import { eventLine } from "../core/event_text.js";
import { t } from "../core/i18n.js";
import { symbolIcon } from "../core/icons.js";
import { cardsInWords } from "../core/names.js";
import { el, find, findAll, put, svg } from "../core/dom.js";
import { practise } from "./practice.js";

const PAUSE = 1400; // between an action and what follows from it: time to read

/** What happened, as the log of a table says it; without names the colours stand there, and a sentence begins large. */
function inWords(view, events) {
  const { text } = eventLine(events, view, null);
  return text.replace(/(^|[.!] )(\p{Ll})/gu, (_, before, letter) => before + letter.toLocaleUpperCase());
}

function showHand(box, { players }) {
  const { hand } = players[0];
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", hand.length ? t("Red holds {cards}.", { cards: cardsInWords(hand) }) : t("Red holds no card."));
  box.replaceChildren(
    ...hand.map((card) => el(card.endsWith("*") ? "span.demo-card.dark" : "span.demo-card", {}, symbolIcon(card, "symbol"))),
  );
}

const moment = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

async function example(figure) {
  const name = `demo-${figure.dataset.demo}`;
  const play = find("[data-demo-play]", figure);
  const again = find("[data-demo-reset]", figure);
  const said = find("[data-demo-said]", figure);
  const hand = find("[data-demo-hand]", figure);
  const picture = svg("svg");
  put(find("[data-demo-board]", figure), picture);
  const board = Board(picture, { interactive: false });
  const first = await practise(name, []);
  const { from } = first.show;

  function reset() {
    board.set(first.view);
    board.mark(from === undefined ? {} : { sources: [from] });
    showHand(hand, first.view);
    said.textContent = "";
    play.hidden = false;
    again.hidden = true;
  }

  async function act(actions, before) {
    const after = await practise(name, actions);
    board.mark({});
    board.set(after.view, after.events);
    showHand(hand, after.view);
    said.textContent = [said.textContent, inWords(before, after.events)].filter(Boolean).join(" ");
    return after.view;
  }

  play.addEventListener("click", async () => {
    play.disabled = true;
    try {
      const script = [first.show, ...first.then];
      let { view } = first;
      for (let n = 1; n <= script.length; n += 1) {
        if (n > 1) await moment();
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

// One after the other from the top, all of them without being looked at: whoever prints the page has never scrolled.
for (const figure of findAll("[data-demo]")) {
  await example(figure).catch(() => {
    figure.hidden = true; // without the server an example is left out; the text stands alone
  });
}
