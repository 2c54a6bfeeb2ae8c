// Chat presets as short-lived bubbles over the sender's plate. Screen readers read them in the chat instead.
// Before the start, when the chat is often below the edge of the screen, lines appear as toasts.

/** @import {State} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { personName } from "../core/names.js";
import { toast } from "../core/toast.js";
import { CHAT_PRESETS } from "./log_and_chat.js";

const SHOWN_MS = 5000;

function isChatOnScreen() {
  const lines = document.querySelector(".chat-lines");
  return Boolean(lines?.checkVisibility() && lines.getBoundingClientRect().top < innerHeight - 60);
}

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
    update({ chatLines, table, you }, before) {
      const last = before.chatLines.at(-1)?.n ?? 0;
      for (const { n, at, seat, person, name, preset, text } of chatLines) {
        if (n <= last || now() - at > SHOWN_MS || you.muted.includes(/** @type {string} */ (person)))
          continue;
        const phrase = preset === undefined ? undefined : CHAT_PRESETS[preset];
        if (table?.status === "open" && person !== you.person && !isChatOnScreen())
          toast(`${personName(name)}: ${phrase ? t(phrase) : text}`);
        if (!phrase) continue;
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
