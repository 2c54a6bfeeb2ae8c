// Your hand: cards by kind with counts, to press, to drag onto a pirate, or to reach with the keyboard.

import { el, keyed } from "../core/dom.js";
import { cardFace } from "./cards.js";
import { byKind, cardCount, cardName } from "../core/names.js";
import { t } from "../core/i18n.js";
import { offers } from "./selection.js";

/** Hand(root, {onCard(card), onDrop(card, place)}) -> {root, update(state), element(card)} */
export function Hand(root, { onCard, onDrop }) {
  const fan = el("ul", { class: "fan" });
  const none = el("p", { class: "hand-none" });
  root.append(el("h2", { class: "hidden" }, t("Your hand")), fan, none);
  let dragged = false;

  function make([card]) {
    const button = el(
      "button",
      { type: "button", class: "hand-card", "data-card": card },
      el("span", { class: "stack" }, cardFace(card)),
      el("span", { class: "hand-count", "aria-hidden": "true" }),
      el("span", { class: "hand-word", "aria-hidden": "true" }, cardName(card)),
    );
    button.addEventListener("click", (event) => {
      if (dragged) {
        dragged = false;
        event.preventDefault();
      } else onCard(card);
    });
    button.addEventListener("pointerdown", (event) => startDrag(event, card, button));
    return el("li", {}, button);
  }

  function update(item, [card, count], { playable, selected }) {
    const button = item.firstElementChild;
    const may = playable.has(card);
    button.classList.toggle("playable", may);
    button.classList.toggle("selected", selected === card);
    button.setAttribute("aria-pressed", String(selected === card));
    button.setAttribute(
      "aria-label",
      [cardName(card), cardCount(count), may ? t("can be played") : null].filter(Boolean).join(", "),
    );
    item.querySelector(".hand-count").textContent = count > 1 ? `×${count}` : "";
    const stack = item.querySelector(".stack");
    while (stack.children.length < Math.min(count, 4)) stack.append(cardFace(card));
    while (stack.children.length > Math.min(count, 4)) stack.lastElementChild.remove();
  }

  /** A drag begins after 8 pixels, so that a tap stays a tap. */
  function startDrag(down, card, button) {
    if (down.button !== 0) return;
    dragged = false;
    let ghost = null;
    const move = (event) => {
      if (!ghost && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < 8) return;
      if (!ghost) {
        ghost = cardFace(card, "ghost");
        document.body.append(ghost);
        dragged = true;
        button.classList.add("lifted");
        if (button.getAttribute("aria-pressed") !== "true") onCard(card);
      }
      ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -60%)`;
      event.preventDefault();
    };
    const end = (event) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      button.classList.remove("lifted");
      if (!ghost) return;
      ghost.remove();
      setTimeout(() => (dragged = false), 0);
      if (event.type === "pointerup") onDrop(card, document.elementFromPoint(event.clientX, event.clientY));
    };
    addEventListener("pointermove", move, { passive: false });
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  return {
    root,
    update({ view, you, choices, selection }) {
      root.hidden = you.seat === null || view.winner !== null;
      if (you.seat === null) return;
      const { hand } = view.players[you.seat];
      const kinds = byKind(hand ?? []);
      const playable = new Set(offers(choices, selection).cards.keys());
      keyed(
        fan,
        kinds,
        ([card]) => card,
        make,
        (item, kind) => update(item, kind, { playable, selected: selection.card }),
      );
      none.textContent = hand && hand.length === 0 ? t("Your hand is empty.") : "";
      none.hidden = !none.textContent;
    },
    element: (card) => fan.querySelector(`[data-card="${card}"]`),
  };
}
