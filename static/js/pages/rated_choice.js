// The switch "Rated" of the form for a new table: it says why it can't be used, and excludes hints.

import { find } from "../core/dom.js";
import { t } from "../core/i18n.js";

/** A rated game needs so many people. */
const MIN_PEOPLE = 2;

/**
 * RatedChoice(form) -> {update({players, bots}), isRated()}. Guests and tables for a big screen have no switch.
 * @param {HTMLFormElement} form
 */
export function RatedChoice(form) {
  /** @type {HTMLInputElement | null} */
  const rated = find('[name="rated"]', form);
  /** @type {HTMLInputElement} */
  const hints = find('[name="hints"]', form);
  const said = find("[data-rated-said]", form);
  const hintsSaid = find("[data-hints-said]", form);

  /**
   * Return why a rated game is impossible; "" if it is possible.
   * @param {{ players: number, bots: number }} parts
   */
  function obstacle({ players, bots }) {
    if (players - bots < MIN_PEOPLE) return t("A rated game needs seats for two people. Seat fewer bots.");
    return hints.checked ? t("A rated game has no hints. Turn them off first.") : "";
  }

  return {
    /** @param {{ players: number, bots: number }} parts */
    update(parts) {
      if (!rated) return;
      const why = obstacle(parts);
      rated.disabled = why !== "";
      if (why) rated.checked = false;
      said.textContent = why || t("The result changes the players' ratings. Everyone needs an account.");
      hints.disabled = rated.checked;
      hintsSaid.hidden = !rated.checked;
    },
    isRated: () => Boolean(rated?.checked),
  };
}
