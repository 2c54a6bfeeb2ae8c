// The explanation of a card, space, plate, pile or button: what it is, what it does, and why it cannot be used now.

/** @import {Action, Card, Click, GameState, Place} from "../core/types.d.ts" */

import { el, findAll } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { symbolIcon } from "../core/icons.js";
import { openModal } from "../core/modal.js";
import { cardName, placeLabel, seatName } from "../core/names.js";
import { cardFace } from "./cards.js";
import { boardChoices, cardsOf } from "./selection.js";

/**
 * @typedef {object} Topic
 * @property {string} title
 * @property {Element | null} [picture]
 * @property {(string | Element)[]} lines
 * @property {Click[]} [questions] What cannot be done now.
 */

/** @type {Record<string, () => string>} The powers of black magic, in the words of the rules page. */
const POWERS = {
  pistol: () => t("Look at another player's hand and take one card from it. That player then draws one."),
  rum: () => t("Draw one card for every player and one more; keep two and give one to each of the others."),
  lantern: () =>
    t("Look at the top four cards of the deck, keep one and put the others back in any order you like."),
  parrot: () => t("Two parrots together count as a card with any symbol you like."),
  hook: () =>
    t(
      "It costs two actions and a second card: two of your pirates on the same space go together to where the second card takes them.",
    ),
  chest: () =>
    t(
      "One of your pirates opens the chest on its space: it holds one, two or three cards, nothing at all, or the snake, which chases the pirate back to the nearest empty rum space behind it. After the snake, all chests are laid out again.",
    ),
};

const sailing = () => [
  t(
    "Sailing is an action that needs no card, and everyone aboard goes along. To sail to Tortuga you need one of your own pirates aboard; to bring the sloop back you need one still in the prison or the passage.",
  ),
  t(
    "The player with the most pirates aboard, alone or tied, is captain: their first sail of a turn, before any other action, does not cost an action.",
  ),
];

const retreating = () =>
  t(
    "Move one of your pirates back to the nearest space behind it with one or two pirates, of any colour. If there was one, you draw one card; if there were two, you draw two. Empty spaces and full ones are skipped; you may not pass one pirate to reach two.",
  );
const morgan = () =>
  t(
    "Choose another player's pirate and move it forward to the nearest space with one or two pirates. If there was one, you draw one card; if there were two, you draw two. If there is no such space ahead, it runs to the end of its side and you draw two.",
  );

/**
 * @param {Card} card
 * @param {GameState} state
 * @param {boolean} isOwn
 * @returns {Topic}
 */
function cardTopic(card, { view, choices }, isOwn) {
  const symbol = card.replace("*", "");
  const hasPower = view.options.black_magic && symbol in POWERS;
  /** @type {Topic["lines"]} */
  const lines = [
    t(
      "Play it to move one of your pirates forward to the next empty space with this symbol. If there is none ahead, the pirate goes all the way to the end.",
    ),
  ];
  if (hasPower) lines.push(el("h3", {}, t("Its power, instead of that")), POWERS[symbol]());
  if (card.endsWith("*"))
    lines.push(
      el("h3", {}, t("Dark card")),
      t(
        "When a dark card has been played, every other player with more than seven cards discards down to seven, choosing freely which cards to discard. This happens as soon as the action is complete and before anything else.",
      ),
    );
  /** @type {Click[]} */
  const questions = [];
  const playable = boardChoices(choices).filter(({ action }) => cardsOf(action).includes(card));
  if (isOwn && !playable.length) questions.push({ card });
  else if (isOwn && hasPower && !playable.some(({ action }) => action.type === symbol))
    questions.push({ card, power: true });
  return { title: cardName(card), picture: cardFace(card, "small"), lines, questions };
}

/**
 * @param {Place} place
 * @param {GameState} state
 * @returns {Topic}
 */
function placeTopic(place, state) {
  const { view, table, choices, you } = state;
  const { scenario, card_gain: gain, black_magic: magic } = view.options;
  /** @type {Topic["lines"]} */
  const lines = [];
  if (typeof place === "number") {
    lines.push(
      t(
        "A card with this symbol brings a pirate here if the space is empty and no other empty space with the symbol comes before it.",
      ),
    );
    if (magic && String(place) in view.chests) lines.push(el("h3", {}, t("Chest")), POWERS.chest());
  } else if (place === "start") lines.push(t("All pirates set out from here, and none comes back."));
  else if (place === "goal") lines.push(t("Bring all your pirates here to win."));
  else
    lines.push(
      t(
        "A pirate in the passage with no empty matching space ahead boards the sloop, if the sloop is at Cartagena and fewer than three pirates of that colour are aboard. Otherwise you cannot play the card.",
      ),
      ...sailing(),
    );
  const count = view.players.flatMap(({ pirates }) => pirates).filter((at) => at === place).length;
  if (typeof place === "number" && (count === 1 || count === 2)) {
    if (gain !== "morgan") lines.push(el("h3", {}, t("Retreat: win cards")), retreating());
    if (gain !== "retreat") lines.push(el("h3", {}, t("Morgan")), morgan());
  }
  if (scenario === "complete" && place === "goal")
    lines.push(t("A pirate gets here from the jungle, or from the sloop at Tortuga."));
  const isUsable = boardChoices(choices).some(({ action, to }) => action.from === place || to === place);
  return {
    title: placeLabel(view, place, table.seats),
    picture: typeof place === "number" ? symbolIcon(view.board[place - 1]) : null,
    lines,
    questions: isUsable || you.seat === null ? [] : [{ place }],
  };
}

/**
 * Explain the signs of a player's plate, each with its icon.
 * @param {HTMLElement} plate
 * @param {GameState} state
 * @returns {Topic}
 */
function plateTopic(plate, { table }) {
  const items = findAll(".sign, .fact", plate).map((sign) => {
    const words = sign.querySelector(".hidden")?.textContent ?? "";
    return el("li", {}, /** @type {Element} */ (sign.querySelector("svg")).cloneNode(true), words);
  });
  return {
    title: seatName(table.seats, Number(plate.dataset.key)),
    picture: /** @type {Element | null} */ (plate.querySelector(".plate-figure svg")?.cloneNode(true)),
    lines: [el("ul", { class: "explain-signs" }, ...items)],
  };
}

/**
 * @param {GameState} state
 * @returns {Topic}
 */
function supplyTopic({ view, choices }) {
  const { supply, relief } = view.options;
  const lines = [
    supply === "row"
      ? t("New cards come from the row: always the one at the arrow, so everyone knows what is coming.")
      : t("New cards come from the top of the deck."),
    t("When the deck runs out, the discards are shuffled into a new deck."),
  ];
  if (relief !== "none")
    lines.push(
      relief === "start"
        ? t("If your hand is empty at the start of your turn, you may draw one card; your turn is then over.")
        : t("If your hand is empty, you may draw one card instead of an action; your turn is then over."),
    );
  const canDraw = choices.some(({ action }) => action.type === "draw");
  return {
    title: t("The supply"),
    lines,
    questions: canDraw || relief === "none" ? [] : [{ supply: true }],
  };
}

/**
 * Explain a button of the tray by the type of its action.
 * @param {Action["type"]} type
 * @param {HTMLElement} button
 * @returns {Topic}
 */
function actionTopic(type, button) {
  const title = button.querySelector(".choice-words > span")?.textContent ?? button.textContent ?? "";
  if (type === "sail") return { title, lines: sailing() };
  if (type === "morgan") return { title, lines: [morgan()] };
  if (type === "retreat") return { title, lines: [retreating()] };
  if (type in POWERS) return { title, lines: [POWERS[type]()] };
  if (type === "draw")
    return { title, lines: [t("With an empty hand you may draw one card, which ends your turn.")] };
  return {
    title,
    lines: [t("A pirate goes forward to the next empty space with the symbol, or to the end.")],
  };
}

/**
 * @param {HTMLElement} element
 * @param {GameState} state
 * @returns {Topic}
 */
function topicOf(element, state) {
  const { card, face, place, explains } = element.dataset;
  const own = element.closest(".hand");
  if (explains) return actionTopic(/** @type {Action["type"]} */ (explains), element);
  if (card ?? face) return cardTopic(String(card ?? face), state, own !== null);
  if (place) return placeTopic(/^\d+$/.test(place) ? Number(place) : /** @type {Place} */ (place), state);
  if (element.matches(".plate")) return plateTopic(element, state);
  if (element.matches(".pile, .row")) return supplyTopic(state);
  if (element.matches(".pips"))
    return {
      title: element.textContent ?? "",
      lines: [
        t("One dot for each action of a turn: dark dots are taken. After the last one, end your turn."),
      ],
    };
  return { title: element.textContent ?? "", lines: [t("Other people who watch this game.")] };
}

/**
 * Show the explanation of an element in a dialog.
 * @param {Element} element
 * @param {GameState} state
 * @param {(click: Click) => Promise<string>} reasonFor
 */
export async function showExplanation(element, state, reasonFor) {
  if (document.querySelector("dialog[open]")) return;
  const {
    title,
    picture = null,
    lines,
    questions = [],
  } = topicOf(/** @type {HTMLElement} */ (element), state);
  const notNow = el("p", { class: "explain-not-now", role: "status" });
  const dialog = el(
    "dialog",
    { class: "confirm explain", "aria-labelledby": "explain-title" },
    el("h2", { id: "explain-title" }, picture, el("span", {}, title)),
    ...lines.map((line) => (typeof line === "string" ? el("p", {}, line) : line)),
    notNow,
    el(
      "form",
      { method: "dialog", class: "confirm-buttons" },
      el("button", { class: "button", autofocus: true }, t("Close")),
    ),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  openModal(dialog);
  for (const question of questions)
    notNow.textContent = t("Not now: {reason}", { reason: await reasonFor(question) });
}
