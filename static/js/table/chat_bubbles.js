// Chat presets as short-lived bubbles over the sender's plate. Screen readers read them in the chat instead.

/** @import {State} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { CHAT_PRESETS } from "./log_and_chat.js";

const SHOWN_MS = 5000;

/**
 * ChatBubbles(plateOf(seat), now()) -> {update(state, before)}; lines older than SHOWN_MS get no bubble.
 * @param {(seat: number) => Element | null} plateOf
 * @param {() => number} now
 */
export function ChatBubbles(plateOf, now) {
  return {
    /**
     * @param {State} state
     * @param {State} before
     */
    update({ chatLines, you }, before) {
      const last = before.chatLines.at(-1)?.n ?? 0;
      for (const { n, at, seat, person, preset } of chatLines) {
        const phrase = preset === undefined ? undefined : CHAT_PRESETS[preset];
        if (
          n <= last ||
          !phrase ||
          now() - at > SHOWN_MS ||
          you.muted.includes(/** @type {string} */ (person))
        )
          continue;
        const plate = plateOf(seat ?? -1);
        if (!plate) continue;
        plate.querySelector(".bubble")?.remove();
        const bubble = el("span", { class: "bubble", "aria-hidden": "true" }, t(phrase));
        plate.append(bubble);
        setTimeout(() => bubble.remove(), SHOWN_MS);
      }
    },
  };
}
