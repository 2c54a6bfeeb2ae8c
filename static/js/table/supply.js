// The supply: deck, open row and discards.

/** @import {Card, GameState} from "../core/types.d.ts" */

import { el, updateKeyed } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { cardCount, cardName, countByKind } from "../core/names.js";
import { cardBack, cardFace } from "./cards.js";

/**
 * Supply(root, {onSupply()}) -> {update(state), deck, row, discards}; the elements are the ends of flying cards.
 * @param {HTMLElement} root
 * @param {{ onSupply?: () => void }} options
 */
export function Supply(root, { onSupply } = {}) {
  const deckCount = el("span", { class: "pile-count" });
  const deck = el("div", { class: "pile deck" }, cardBack(), deckCount);
  const top = el("span", { class: "pile-top" });
  const discardCount = el("span", { class: "pile-count" });
  const discards = el(
    "button",
    { type: "button", class: "pile discards", "aria-expanded": "false", "aria-controls": "discard-list" },
    top,
    discardCount,
  );
  const spread = el("div", { class: "discard-list", id: "discard-list", hidden: true });
  const cards = el("ol", { class: "row-cards", tabindex: "0" });
  const row = el(
    "div",
    { class: "row", hidden: true },
    el("span", { class: "row-arrow", "aria-hidden": "true" }, icon("ui", "ui-arrow")),
    cards,
  );
  root.append(el("h2", { class: "hidden" }, t("The supply")), deck, row, discards, spread);
  /** @type {Card[]} */
  let shownDiscard = [];

  if (onSupply) for (const part of [deck, row]) part.addEventListener("click", onSupply);
  discards.addEventListener("click", () => {
    spread.hidden = !spread.hidden;
    discards.setAttribute("aria-expanded", String(!spread.hidden));
    showSpread();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || spread.hidden) return;
    spread.hidden = true;
    discards.setAttribute("aria-expanded", "false");
    discards.focus();
  });

  function showSpread() {
    if (spread.hidden) return;
    const kinds = countByKind([...shownDiscard].sort());
    spread.replaceChildren(
      el("h3", {}, t("Discards")),
      ...kinds.map(([card, n]) => el("p", {}, cardFace(card, "tiny"), `${cardName(card)} × ${n}`)),
    );
    if (!kinds.length) spread.append(el("p", {}, t("Nothing has been discarded.")));
  }

  return {
    deck,
    row,
    discards,
    /** @param {Pick<GameState, "view">} state */
    update({ view }) {
      const left = typeof view.deck === "number" ? view.deck : view.deck.length;
      deckCount.textContent = String(left);
      deck.setAttribute("role", "img");
      deck.setAttribute("aria-label", tn("Deck: {n} card", "Deck: {n} cards", left));
      deck.classList.toggle("bare", left === 0);
      row.hidden = view.options.supply !== "row";
      if (!row.hidden) {
        // Keys count from the right: cards leave on the left, and the others keep their element.
        const items = view.row.map((card, at) => ({
          card,
          key: `${view.row.length - at}:${card}`,
          first: at === 0,
        }));
        updateKeyed(
          cards,
          items,
          ({ key }) => key,
          ({ card }) =>
            el("li", {}, cardFace(card, "small"), el("span", { class: "hidden" }, cardName(card))),
          (item, { first }) => item.classList.toggle("next", first),
        );
        cards.setAttribute("aria-label", t("The face-up row, next card first"));
      }
      shownDiscard = view.discard;
      const last = view.discard[view.discard.length - 1];
      top.replaceChildren(last ? cardFace(last) : el("span", { class: "card empty", "aria-hidden": "true" }));
      discardCount.textContent = String(view.discard.length);
      discards.setAttribute(
        "aria-label",
        last
          ? t("Discards: {count}, top card: {card}", {
              count: cardCount(view.discard.length),
              card: cardName(last),
            })
          : t("Discards: none"),
      );
      showSpread();
    },
  };
}
