// What the pages know about each kind of clock. The kinds are defined in app/play/log/clocks.py.

/** @import {ClockRule} from "./types.d.ts" */

import { t, tn } from "./i18n.js";

/**
 * Whether players are usually away and are notified of their turns.
 * @param {string | undefined} kind
 */
export const isCorrespondence = (kind) => kind === "days";

/**
 * Describe a table's clock in a sentence.
 * @param {ClockRule | null} clock
 */
export function describeClock(clock) {
  switch (clock?.kind) {
    case "turn":
      return tn("{n} second per turn.", "{n} seconds per turn.", clock.seconds);
    case "bank":
      return t("{time} each, plus {more} per turn.", {
        time: tn("{n} minute", "{n} minutes", Math.round(clock.seconds / 60)),
        more: tn("{n} second", "{n} seconds", clock.increment),
      });
    case "days":
      return tn("{n} day per turn.", "{n} days per turn.", clock.days);
    default:
      return t("No clock.");
  }
}
