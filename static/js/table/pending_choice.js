// Pending choices (steal, share, stack, discard) as small sheets over the tray, so that the board stays visible.

/** @import {Action, Card, GameState, PendingOf, View} from "../core/types.d.ts" */

import { el, find } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { cardName, countByKind, seatName } from "../core/names.js";
import { cardFace } from "./cards.js";

/** @param {View} view */
const activeSeats = (view) =>
  view.players.map((_, seat) => seat).filter((seat) => !view.players[seat].resigned);

/**
 * PendingChoice(root, {onAnswer(action)}) -> {update(state)}
 * @param {HTMLElement} root
 * @param {{ onAnswer: (action: Action) => void }} options
 */
export function PendingChoice(root, { onAnswer }) {
  let shown = "";

  /**
   * @param {string} title
   * @param {string} words
   * @param {HTMLElement} body
   * @param {HTMLElement} confirm
   */
  function sheet(title, words, body, confirm) {
    const heading = el("h2", { id: "owed-title", tabindex: "-1" }, title);
    root.replaceChildren(
      el(
        "div",
        { class: "sheet", role: "dialog", "aria-labelledby": "owed-title", "aria-describedby": "owed-words" },
        heading,
        el("p", { id: "owed-words" }, words),
        body,
        confirm,
      ),
    );
    root.hidden = false;
    find("button, select", root)?.focus({ preventScroll: true });
  }

  /** @param {(event: never) => unknown} onclick */
  const confirmButton = (onclick) => el("button", { type: "button", class: "button button-main", onclick });

  /**
   * @param {Card} card
   * @param {(event: never) => unknown} onclick
   * @param {string} [label]
   */
  const cardButton = (card, onclick, label = cardName(card)) =>
    el(
      "button",
      { type: "button", class: "pick", "aria-pressed": "false", "aria-label": label, onclick },
      cardFace(card),
      el("span", { "aria-hidden": "true" }, label),
    );

  /** @param {GameState} state */
  function steal({ view, table }) {
    const { from } = /** @type {PendingOf<"steal">} */ (view.pending);
    const other = seatName(table.seats, from);
    /** @type {Card | null} */
    let chosen = null;
    const confirm = confirmButton(() => chosen && onAnswer({ type: "steal", card: chosen }));
    confirm.disabled = true;
    confirm.textContent = t("Take it");
    const buttons = countByKind(view.players[from].hand ?? []).map(([card, n]) => {
      const button = cardButton(
        card,
        () => {
          chosen = card;
          for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
          confirm.disabled = false;
          confirm.textContent = t("Take this card: {card}", { card: cardName(card) });
        },
        n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card),
      );
      return button;
    });
    sheet(
      t("{name}'s hand", { name: other }),
      t("Take one card; {name} then draws one.", { name: other }),
      el("div", { class: "picks" }, ...buttons),
      confirm,
    );
  }

  /**
   * Show the sheet for sharing cards. Changing a card's destination swaps it with another card, so it is always legal.
   * @param {GameState} state
   */
  function share({ view, table }) {
    const { cards, seat } = /** @type {PendingOf<"share"> & { cards: Card[] }} */ (view.pending);
    const others = activeSeats(view).filter((other) => other !== seat);
    const keep = cards.length - others.length;
    const destination = cards.map((_, at) => (at < keep ? "keep" : String(others[at - keep])));
    /** @type {HTMLSelectElement[]} */
    const selects = [];
    const body = el(
      "div",
      { class: "picks" },
      ...cards.map((card, at) => {
        const select = el(
          "select",
          { "aria-label": t("Who gets this card: {card}?", { card: cardName(card) }) },
          el("option", { value: "keep" }, t("I keep this card")),
          ...others.map((other) => el("option", { value: other }, seatName(table.seats, other))),
        );
        select.value = destination[at];
        select.addEventListener("change", () => {
          const chosen = select.value;
          const swap = destination.findLastIndex((target, index) => target === chosen && index !== at);
          if (swap >= 0) destination[swap] = destination[at];
          destination[at] = chosen;
          selects.forEach((other, index) => (other.value = destination[index]));
        });
        selects.push(select);
        return el("div", { class: "pick" }, cardFace(card), el("span", {}, cardName(card)), select);
      }),
    );
    const confirm = confirmButton(() =>
      onAnswer({
        type: "share",
        keep: cards.filter((_, at) => destination[at] === "keep").sort(),
        give: Object.fromEntries(
          cards.map((card, at) => [destination[at], card]).filter(([to]) => to !== "keep"),
        ),
      }),
    );
    confirm.textContent = t("Share them out");
    sheet(
      t("Rum for everyone"),
      tn(
        "Keep {n} card and give one to each of the others.",
        "Keep {n} cards and give one to each of the others.",
        keep,
      ),
      body,
      confirm,
    );
  }

  /** @param {GameState} state */
  function stack({ view }) {
    const { cards } = /** @type {PendingOf<"stack"> & { cards: Card[] }} */ (view.pending);
    const order = [...cards];
    const items = el("ol", { class: "stack-list" });
    /** @param {number} [focus] */
    const draw = (focus) => {
      items.replaceChildren(
        ...order.map((card, at) => {
          const place =
            at === 0
              ? t("you keep this card")
              : at === 1
                ? t("on top of the deck")
                : t("number {n} from the top", { n: at });
          const up = el(
            "button",
            {
              type: "button",
              class: "button button-small",
              "aria-label": t("{card}: move up", { card: cardName(card) }),
              disabled: at === 0,
              onclick: () => swap(at, at - 1),
            },
            el("span", { class: "arrow", "aria-hidden": "true" }, "↑"),
          );
          const down = el(
            "button",
            {
              type: "button",
              class: "button button-small",
              "aria-label": t("{card}: move down", { card: cardName(card) }),
              disabled: at === order.length - 1,
              onclick: () => swap(at, at + 1),
            },
            el("span", { class: "arrow", "aria-hidden": "true" }, "↓"),
          );
          return el(
            "li",
            {},
            cardFace(card, "small"),
            el("span", {}, cardName(card)),
            el("small", {}, place),
            up,
            down,
          );
        }),
      );
      if (focus !== undefined) find("button:not(:disabled)", items.children[focus])?.focus();
    };
    /**
     * @param {number} a
     * @param {number} b
     */
    const swap = (a, b) => {
      [order[a], order[b]] = [order[b], order[a]];
      draw(b);
    };
    draw();
    const confirm = confirmButton(() => onAnswer({ type: "stack", keep: order[0], back: order.slice(1) }));
    confirm.textContent = t("Put them back");
    sheet(
      t("By lantern light"),
      t("The first card is yours; the others go back on the deck in this order."),
      items,
      confirm,
    );
  }

  /** @param {GameState} state */
  function discard({ view, you }) {
    const seat = /** @type {number} */ (you.seat);
    const count = /** @type {PendingOf<"discard">} */ (view.pending).owed[seat];
    /** @type {Set<number>} */
    const chosen = new Set();
    const confirm = confirmButton(() =>
      onAnswer({ type: "discard", cards: [...chosen].map((at) => hand[at]).sort() }),
    );
    const hand = /** @type {Card[]} */ (view.players[seat].hand);
    const tally = () => {
      confirm.disabled = chosen.size !== count;
      confirm.textContent = t("Discard ({chosen} of {count})", { chosen: chosen.size, count });
    };
    const buttons = hand.map((card, at) => {
      const button = cardButton(card, () => {
        if (chosen.has(at)) chosen.delete(at);
        else if (chosen.size < count) chosen.add(at);
        buttons.forEach((other, index) => other.setAttribute("aria-pressed", String(chosen.has(index))));
        tally();
      });
      return button;
    });
    tally();
    sheet(
      t("Too many cards"),
      tn(
        "A dark card was played. Choose {n} card to discard.",
        "A dark card was played. Choose {n} cards to discard.",
        count,
      ),
      el("div", { class: "picks" }, ...buttons),
      confirm,
    );
  }

  const sheets = { steal, share, stack, discard };

  return {
    /** @param {GameState} state */
    update(state) {
      const type = /** @type {keyof typeof sheets | undefined} */ (
        state.choices.map(({ action }) => action.type).find((type) => type in sheets)
      );
      const key = type
        ? JSON.stringify([
            type,
            state.view.pending,
            state.view.players[/** @type {number} */ (state.you.seat)].hand,
          ])
        : "";
      if (key === shown) return;
      shown = key;
      if (type) sheets[type](state);
      else {
        const hadFocus = root.contains(document.activeElement);
        root.replaceChildren();
        root.hidden = true;
        if (hadFocus) find('.board .place[tabindex="0"]')?.focus({ preventScroll: true });
      }
    },
  };
}
