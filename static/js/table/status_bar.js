// The status bar: whose turn it is, actions taken, number of spectators.

/** @import {TableState} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { describePending } from "../core/event_text.js";
import { t, tn } from "../core/i18n.js";
import { icon, pirateIcon } from "../core/icons.js";
import { letterOf, lookOf, presetName, seatName } from "../core/names.js";

// On a phone a longer text is set smaller.
const LONG_TEXT = 36;

/** @param {HTMLElement} root */
export function StatusBar(root) {
  const figure = el("span", { class: "status-figure" });
  const words = el("h1", { class: "status-words" });
  const pips = el("span", { class: "pips" });
  const watching = el("span", { class: "watching" });
  const menu = el("span", { class: "status-menu" });
  root.append(figure, words, pips, watching, menu);

  /** @param {TableState} state */
  function sentence(state) {
    const { table, view, you } = state;
    if (!view) return table.status === "closed" ? t("This table is closed") : t("Before the game");
    if (table.status === "aborted") return t("Ended without a winner");
    if (table.status === "finished" && view.winner === null) return t("The game is over.");
    if (view.winner !== null)
      return view.winner === you.seat
        ? t("You have won!")
        : t("{name} has won!", { name: seatName(table.seats, view.winner) });
    if (view.pending && state.choices.length) return t("Make your choice");
    if (view.pending) return describePending(view.pending, table.seats);
    return view.turn.seat === you.seat
      ? t("Your turn")
      : t("It's {name}'s turn.", { name: seatName(table.seats, view.turn.seat) });
  }

  return {
    menu,
    /** @param {TableState} state */
    update(state) {
      const { table, view, presence, you } = state;
      const text = sentence(state);
      if (words.textContent !== text) words.textContent = text;
      root.classList.toggle("long", text.length > LONG_TEXT);
      const running = view && view.winner === null && table.status === "running";
      root.classList.toggle("mine", Boolean(running) && state.choices.length > 0);
      // The player must choose, even if it is another player's turn.
      const choosing = running && view.pending && state.choices.length;
      const seat = view ? (view.winner ?? (choosing ? you.seat : view.turn.seat)) : null;
      const look = seat === null ? "" : String(lookOf(table.seats, seat));
      if (figure.dataset.look !== look) {
        figure.dataset.look = look;
        figure.replaceChildren(
          ...(look ? [pirateIcon(Number(look), letterOf(Number(look)))] : [icon("ui", "ui-compass")]),
        );
      }
      pips.hidden = !running;
      if (running) {
        const { actions } = view.options;
        pips.replaceChildren(
          ...Array.from({ length: actions }, (_, at) =>
            el("i", { class: at < view.turn.taken ? "pip taken" : "pip", "aria-hidden": "true" }),
          ),
          el(
            "span",
            { class: "hidden" },
            t("Actions taken: {taken} of {all}", { taken: view.turn.taken, all: actions }),
          ),
        );
      }
      watching.replaceChildren(
        ...(presence.watching
          ? [
              icon("ui", "ui-eye"),
              el("span", { "aria-hidden": "true" }, String(presence.watching)),
              el("span", { class: "hidden" }, tn("{n} spectator", "{n} spectators", presence.watching)),
            ]
          : []),
      );
      root.title = presetName(table.options.preset);
    },
  };
}
