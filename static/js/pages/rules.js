// Examples in the rules: small live boards, drawn when they come into sight, played by the real engine.
import { Board } from "../board.js";
import { t, tn } from "../i18n.js";
import { placeName } from "../words.js";
import { find, findAll, put, svg } from "./dom.js";
import { practise } from "./practice.js";

function inWords(view, events) {
  const parts = [];
  for (const event of events) {
    if (["advanced", "retreated", "morgan_moved"].includes(event.type)) {
      parts.push(t("The pirate goes to {place}.", { place: placeName(view, event.to) }));
    }
    if (event.type === "cards_drawn") parts.push(tn("{n} card is drawn.", "{n} cards are drawn.", event.count));
    if (event.type === "sailed") parts.push(t("The sloop sails to Tortuga with everyone aboard."));
  }
  return parts.join(" ");
}

async function stage(figure) {
  const name = `demo-${figure.dataset.demo}`;
  const play = find("[data-demo-play]", figure);
  const again = find("[data-demo-reset]", figure);
  const said = find("[data-demo-said]", figure);
  const picture = svg("svg");
  put(find("[data-demo-board]", figure), picture);
  const board = Board(picture, { interactive: false });
  const first = await practise(name, []);
  const { from } = first.show;

  function reset() {
    board.set(first.view);
    board.mark(from === undefined ? {} : { sources: [from] });
    said.textContent = "";
    play.hidden = false;
    again.hidden = true;
  }

  play.addEventListener("click", async () => {
    play.disabled = true;
    const after = await practise(name, [first.show]).finally(() => (play.disabled = false));
    board.mark({});
    board.set(after.view, after.events);
    said.textContent = inWords(after.view, after.events);
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

const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    stage(target).catch(() => {
      target.hidden = true; // without the server an example is left out; the text stands alone
    });
  }
}, { rootMargin: "200px" });
for (const figure of findAll("[data-demo]")) watcher.observe(figure);
