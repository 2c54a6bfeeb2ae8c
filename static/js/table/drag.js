// Dragging a card with the pointer. A press without a move stays a click.

/** @import {Card} from "../core/types.d.ts" */

import { cardFace } from "./cards.js";

// Less is a click.
const MIN_DRAG_PX = 8;

/**
 * Let a card be dragged from its button.
 * @param {HTMLElement} button
 * @param {Card} card
 * @param {{ onLift?: () => void, onDrop: (target: Element | null) => void }} options
 */
export function makeDraggable(button, card, { onLift, onDrop }) {
  let isDragged = false;

  button.addEventListener("pointerdown", (down) => {
    if (down.button !== 0) return;
    isDragged = false;
    /** @type {HTMLElement | null} */
    let ghost = null;
    /** @param {PointerEvent} event */
    const move = (event) => {
      if (!ghost) {
        if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < MIN_DRAG_PX) return;
        ghost = cardFace(card, "ghost");
        document.body.append(ghost);
        isDragged = true;
        button.classList.add("lifted");
        onLift?.();
      }
      ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -60%)`;
      event.preventDefault();
    };
    /** @param {PointerEvent} event */
    const end = (event) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      button.classList.remove("lifted");
      if (!ghost) return;
      ghost.remove();
      setTimeout(() => (isDragged = false), 0);
      if (event.type === "pointerup") onDrop(document.elementFromPoint(event.clientX, event.clientY));
    };
    addEventListener("pointermove", move, { passive: false });
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  });

  // The click at the end of a drag.
  button.addEventListener(
    "click",
    (event) => {
      if (!isDragged) return;
      isDragged = false;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );
}
