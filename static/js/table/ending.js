// After the end: who won, the places, and the ways on (rematch, replay, fairness).

import { el } from "../core/dom.js";
import { pirateIcon } from "../core/icons.js";
import { letterOf, lookOf, seatName } from "../core/names.js";
import { t } from "../core/i18n.js";

/** Ending(root, {rematch}) -> {update(state)}; `rematch` is that of rematch.js */
export function Ending(root, { rematch }) {
  let drawn = "";
  return {
    update(state) {
      const { table, view, you } = state;
      const over = table.status === "finished" || table.status === "aborted";
      const key = JSON.stringify([table.status, table.result, you.seat]);
      root.hidden = !over;
      if (over) rematch.update(state);
      if (!over || key === drawn) return;
      drawn = key;
      const { winner, places, reason } = table.result ?? { winner: view?.winner ?? null, places: [], reason: "" };
      const heading =
        winner === null
          ? reason === "resigned"
            ? t("Everybody has given up.")
            : t("The game was ended without a winner.")
          : winner === you.seat
            ? t("You have won!")
            : t("{name} has won!", { name: seatName(table.seats, winner) });
      const why =
        winner === null ? "" : reason === "resigned" ? t("Everybody else gave up.") : reason === "goal" ? t("All pirates have escaped.") : "";
      const ranking = (places ?? []).map((place, seat) => ({ place, seat })).sort((a, b) => a.place - b.place);
      const here = `/g/${encodeURIComponent(table.id)}`;
      root.replaceChildren(
        el("h2", { id: "ending-title", tabindex: "-1" }, heading),
        why ? el("p", {}, why) : "",
        el(
          "ol",
          { class: "ranking" },
          ...ranking.map(({ place, seat }) =>
            el(
              "li",
              { value: place },
              pirateIcon(lookOf(table.seats, seat), letterOf(lookOf(table.seats, seat))),
              seatName(table.seats, seat),
            ),
          ),
        ),
        rematch.score,
        el(
          "div",
          { class: "ending-ways" },
          ...[
            rematch.way,
            el("a", { class: "button", href: `${here}/replay` }, t("Replay")),
            el("a", { class: "button", href: `${here}/review` }, t("Review")),
            el("a", { class: "button", href: `${here}/fairness` }, t("Check the chance")),
            el("a", { class: "button", href: "/" }, t("To the lobby")),
          ].filter(Boolean),
        ),
      );
    },
  };
}
