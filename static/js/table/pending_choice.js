// Pending choices (steal, share, stack, discard) as small sheets over the tray, so that the board stays visible.

/** @import {Action, Card, GameState, PendingOf, View} from "../core/types.d.ts" */

import { el, find, setChildren } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { cardName, countByKind, seatName } from "../core/names.js";
import { announce } from "./announce.js";
import { cardFace } from "./cards.js";
import { makeDraggable } from "./drag.js";
import { showScrollCue } from "./scroll_cue.js";

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
   * Show a sheet: heading, cards, and below them the button. Only the cards scroll, so that the button covers none.
   * @param {string} title
   * @param {string} words
   * @param {HTMLElement} body
   * @param {HTMLElement} confirm
   */
  function sheet(title, words, body, confirm) {
    const middle = el("div", { class: "sheet-body" }, body);
    root.replaceChildren(
      el(
        "div",
        { class: "sheet", role: "dialog", "aria-labelledby": "owed-title", "aria-describedby": "owed-words" },
        el(
          "div",
          { class: "sheet-head" },
          el("h2", { id: "owed-title", tabindex: "-1" }, title),
          el("p", { id: "owed-words" }, words),
        ),
        middle,
        confirm,
      ),
    );
    showScrollCue(middle);
    root.hidden = false;
    find("button:not(:disabled)", root)?.focus({ preventScroll: true });
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
   * Show the sheet for sharing cards. A tapped card goes to the player who is marked; a tapped player gives the card back
   * and is marked. Cards can also be dragged, on a player who has one, too: the two are swapped.
   * @param {GameState} state
   */
  function share({ view, table }) {
    const { cards, seat } = /** @type {PendingOf<"share"> & { cards: Card[] }} */ (view.pending);
    const others = activeSeats(view).filter((other) => other !== seat);
    const keep = cards.length - others.length;
    // The index in `cards` that each of the others gets.
    /** @type {Map<number, number>} */
    const given = new Map();
    /** @type {number | undefined} */
    let marked = others[0];
    const own = el("div", { class: "picks" });
    const slots = el("div", { class: "share-slots", role: "group", "aria-label": t("Cards for the others") });
    const body = el(
      "div",
      {},
      el("div", { class: "share-own", role: "group", "aria-label": t("Your cards") }, own),
      slots,
    );
    const confirm = confirmButton(() =>
      onAnswer({
        type: "share",
        keep: cards.filter((_, at) => !holderOf(at)).sort(),
        give: Object.fromEntries([...given].map(([other, at]) => [String(other), cards[at]])),
      }),
    );
    confirm.textContent = t("Share them out");

    /** @param {number} at */
    const holderOf = (at) => [...given].find(([, card]) => card === at);
    const instruction = () =>
      marked === undefined
        ? tn("You keep {n} card.", "You keep {n} cards.", keep)
        : t("Choose a card for {name}.", { name: seatName(table.seats, marked) });

    /**
     * Give a card to a player. If another player had it, the two swap.
     * @param {number} at
     * @param {number} other
     */
    function give(at, other) {
      const former = holderOf(at)?.[0];
      const returned = given.get(other);
      if (former !== undefined) {
        given.delete(former);
        if (returned !== undefined) given.set(former, returned);
      }
      given.set(other, at);
      finish();
    }

    /** Mark the next player without a card and redraw. */
    function finish() {
      marked = others.find((other) => !given.has(other));
      draw();
      announce(instruction());
    }

    /**
     * @param {number} at
     * @param {Element | null} target
     */
    function drop(at, target) {
      const slot = /** @type {HTMLElement | null | undefined} */ (target?.closest(".share-slot"));
      if (slot) give(at, Number(slot.dataset.seat));
      else if (target?.closest(".share-own") && holderOf(at)) {
        given.delete(/** @type {[number, number]} */ (holderOf(at))[0]);
        finish();
      }
    }

    /** @param {number} at */
    function OwnCard(at) {
      const card = cards[at];
      const button = cardButton(card, () => marked !== undefined && give(at, marked));
      button.removeAttribute("aria-pressed");
      button.dataset.key = `card-${at}`;
      makeDraggable(button, card, { onDrop: (target) => drop(at, target) });
      return button;
    }

    /** @param {number} other */
    function Slot(other) {
      const at = given.get(other);
      const name = seatName(table.seats, other);
      const label =
        at === undefined
          ? t("{name} has no card yet", { name })
          : t("{name} gets this card: {card}", { name, card: cardName(cards[at]) });
      const button = el(
        "button",
        {
          type: "button",
          class: at === undefined ? "pick share-slot" : "pick share-slot filled",
          "aria-pressed": String(other === marked),
          "aria-label": label,
          "data-seat": other,
          "data-key": `seat-${other}`,
          onclick: () => {
            given.delete(other);
            marked = other;
            draw();
            announce(instruction());
          },
        },
        at === undefined ? el("span", { class: "card empty" }) : cardFace(cards[at]),
        el("span", { class: "share-who", "aria-hidden": "true" }, name),
      );
      if (at !== undefined) makeDraggable(button, cards[at], { onDrop: (target) => drop(at, target) });
      return button;
    }

    function draw() {
      const focused = /** @type {HTMLElement | null} */ (document.activeElement);
      const key = body.contains(focused) ? focused?.dataset.key : undefined;
      setChildren(own, ...cards.map((_, at) => (holderOf(at) ? null : OwnCard(at))));
      setChildren(slots, ...others.map(Slot));
      confirm.disabled = given.size < others.length;
      const words = document.getElementById("owed-words");
      if (words) words.textContent = describe();
      if (!key) return;
      const next = find(`[data-key="${key}"]`, body) ?? (confirm.disabled ? find("button", own) : confirm);
      next?.focus({ preventScroll: true });
    }

    const describe = () =>
      [
        tn(
          "Keep {n} card and give one to each of the others.",
          "Keep {n} cards and give one to each of the others.",
          keep,
        ),
        instruction(),
      ].join(" ");
    draw();
    sheet(t("Rum for everyone"), describe(), body, confirm);
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
    confirm.textContent = t("Keep this card");
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

  /**
   * Return a key of what a sheet shows: it is built anew only if that changes, because that drops a half-made choice.
   * @param {GameState} state
   * @param {string} type
   */
  function contentKey({ view, you }, type) {
    const seat = /** @type {number} */ (you.seat);
    const { owed, ...pending } = /** @type {Partial<PendingOf<"discard">>} */ (view.pending ?? {});
    const receivers = type === "share" ? activeSeats(view) : null;
    return JSON.stringify([type, pending, owed?.[seat], receivers, view.players[seat].hand]);
  }

  return {
    /** @param {GameState} state */
    update(state) {
      const type = /** @type {keyof typeof sheets | undefined} */ (
        state.choices.map(({ action }) => action.type).find((type) => type in sheets)
      );
      const key = type ? contentKey(state, type) : "";
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
