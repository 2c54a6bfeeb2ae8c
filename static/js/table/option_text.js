// The terms of a table in a few lines: what differs from the plain game, and how time is kept.

import { N_, t, tn } from "../core/i18n.js";

const gains = {
  retreat: N_("Cards are won by falling back."),
  morgan: N_("Cards are won by Morgan's way: sending others' pirates ahead."),
  both: N_("Cards are won by falling back or by Morgan's way."),
  split: N_("Cards: fall back in the passage, Morgan's way in the jungle."),
};

function clockLine(clock) {
  if (!clock || clock.kind === "none") return t("No clock.");
  if (clock.kind === "turn") return tn("{n} second a turn.", "{n} seconds a turn.", clock.seconds);
  if (clock.kind === "bank")
    return t("{time} each, {more} more a turn.", {
      time: tn("{n} minute", "{n} minutes", Math.round(clock.seconds / 60)),
      more: tn("{n} second", "{n} seconds", clock.increment),
    });
  return tn("{n} day a move.", "{n} days a move.", clock.days);
}

export function optionLines({ options, clock, hints, spectators }) {
  const lines = [
    options.hands === "open" ? t("Hands are open.") : t("Hands are hidden."),
    options.supply === "row"
      ? tn("An open row of {n} card.", "An open row of {n} cards.", options.row_size)
      : t("Cards come from a closed deck."),
    tn("{n} pirate each.", "{n} pirates each.", options.pirates),
    t("{min} to {max} actions a turn.", { min: options.min_actions, max: options.actions }),
    t(gains[options.card_gain]),
  ];
  if (options.scoundrels) lines.push(t("Scoundrels: dark cards make others discard down to seven."));
  if (options.black_magic) lines.push(t("Black magic: cards have powers."));
  lines.push(clockLine(clock));
  if (hints) lines.push(t("Hints may be asked for."));
  if (spectators === false) lines.push(t("Nobody may watch."));
  return lines;
}
