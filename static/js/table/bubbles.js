// Ready phrases as small bubbles over the plates of those who said them, for a moment. The chat has them too, and is
// what a screen reader reads.

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { phrases } from "./log_and_chat.js";

const SHOWN_FOR = 5000; // milliseconds

/** Bubbles(plateOf(seat), now()) -> {update(state, before)}; what was said while one was away is old. */
export function Bubbles(plateOf, now) {
  return {
    update({ lines, you }, before) {
      const last = before.lines.at(-1)?.n ?? 0;
      for (const { n, at, seat, person, preset } of lines) {
        if (n <= last || !(preset in phrases) || now() - at > SHOWN_FOR || you.muted.includes(person)) continue;
        const plate = plateOf(seat ?? -1);
        if (!plate) continue;
        plate.querySelector(".bubble")?.remove(); // the newest alone
        const bubble = el("span", { class: "bubble", "aria-hidden": "true" }, t(phrases[preset]));
        plate.append(bubble);
        setTimeout(() => bubble.remove(), SHOWN_FOR);
      }
    },
  };
}
