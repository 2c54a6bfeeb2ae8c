// The player's hand: cards by kind with counts. Cards can be clicked, dragged onto a pirate or used by keyboard.

/** @import {Card, GameState} from "../core/types.d.ts" */

import { el, find, updateKeyed } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { cardCount, cardName, countByKind } from "../core/names.js";
import { cardFace } from "./cards.js";
import { makeDraggable } from "./drag.js";
import { offers } from "./selection.js";

/**
 * Hand(root, {onCard(card), onLift(card), onDrop(card, target)}) -> {root, update(state), element(card)}
 * @param {HTMLElement} root
 * @param {{ onCard: (card: Card) => void, onLift: (card: Card) => void, onDrop: (card: Card, target: Element | null) => void }} options
 */
export function Hand(root, { onCard, onLift, onDrop }) {
  const fan = el("ul", { class: "fan" });
  const none = el("p", { class: "hand-none" });
  root.append(el("h2", { class: "hidden" }, t("Your hand")), fan, none);

  /** @param {[Card, number]} pair */
  function createItem([card]) {
    const button = el(
      "button",
      { type: "button", class: "hand-card", "data-card": card },
      el("span", { class: "stack" }, cardFace(card)),
      el("span", { class: "hand-count", "aria-hidden": "true" }),
      el("span", { class: "hand-word", "aria-hidden": "true" }, cardName(card)),
    );
    button.addEventListener("click", () => onCard(card));
    makeDraggable(button, card, {
      onLift: () => onLift(card),
      onDrop: (target) => onDrop(card, target),
    });
    return el("li", {}, button);
  }

  /**
   * @param {Element} item
   * @param {[Card, number]} pair
   * @param {{ playable: Set<Card>, selected: Card | undefined }} options
   */
  function update(item, [card, count], { playable, selected }) {
    const button = find(".hand-card", item);
    const isPlayable = playable.has(card);
    button.classList.toggle("playable", isPlayable);
    button.classList.toggle("selected", selected === card);
    button.setAttribute("aria-pressed", String(selected === card));
    button.setAttribute(
      "aria-label",
      [cardName(card), cardCount(count), isPlayable ? t("can be played") : null].filter(Boolean).join(", "),
    );
    find(".hand-count", item).textContent = count > 1 ? `×${count}` : "";
    const stack = find(".stack", item);
    while (stack.children.length < Math.min(count, 4)) stack.append(cardFace(card));
    while (stack.children.length > Math.min(count, 4)) stack.lastElementChild?.remove();
  }

  return {
    root,
    /** @param {GameState} state */
    update({ view, you, choices, selection }) {
      root.hidden = you.seat === null || view.winner !== null;
      if (you.seat === null) return;
      const { hand } = view.players[you.seat];
      const kinds = countByKind(hand ?? []);
      const playable = new Set(offers(choices, selection).cards.keys());
      updateKeyed(
        fan,
        kinds,
        ([card]) => card,
        createItem,
        (item, kind) => update(item, kind, { playable, selected: selection.card }),
      );
      none.textContent = hand && hand.length === 0 ? t("Your hand is empty.") : "";
      none.hidden = !none.textContent;
    },
    /** @param {Card} card */
    element: (card) => fan.querySelector(`[data-card="${card}"]`),
  };
}
