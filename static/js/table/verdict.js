// The sentences about the end of a game, for the end card. Pure functions.

/** @import {GameState} from "../core/types.d.ts" */

import { t, tn } from "../core/i18n.js";
import { seatName } from "../core/names.js";
import { spacesMissing } from "./game_statistics.js";

// About two good cards.
const NEAR_SPACES = 14;
const FAR_SPACES = 60;

/**
 * Return the sentence for a player who did not win: how close it was.
 * @param {GameState} state
 */
function consolation({ view, you }) {
  const n = spacesMissing(view.options, view.players[/** @type {number} */ (you.seat)]);
  const left = tn(
    "You were {n} space short of bringing all your pirates to the goal.",
    "You were {n} spaces short of bringing all your pirates to the goal.",
    n,
  );
  if (n > FAR_SPACES) return left;
  return `${n <= NEAR_SPACES ? t("So close!") : t("Well sailed.")} ${left}`;
}

/**
 * Return the heading of a finished game without a winner: every person has resigned, and only bots were left.
 * @param {GameState} state
 */
function resignedHeading({ table, view, you }) {
  if (you.seat !== null && view.players[you.seat].resigned) return t("You have resigned.");
  const people = table.seats.flatMap(({ person }, seat) => (person ? [seat] : []));
  return people.length === 1
    ? t("{name} has resigned.", { name: seatName(table.seats, people[0]) })
    : t("All players except the bots have resigned.");
}

/**
 * Return how the winner won.
 * @param {GameState} state
 * @param {number} winner
 * @param {string} reason
 */
function victory({ table, you }, winner, reason) {
  if (reason === "resigned") {
    const others = table.seats.map((_, seat) => seat).filter((seat) => seat !== winner);
    return others.length === 1
      ? t("{name} has resigned.", { name: seatName(table.seats, others[0]) })
      : t("Everyone else resigned.");
  }
  if (reason !== "goal") return "";
  return winner === you.seat
    ? t("All your pirates have escaped.")
    : t("All of {name}'s pirates have escaped.", { name: seatName(table.seats, winner) });
}

/**
 * Return {heading, words} for this viewer.
 * @param {GameState} state
 */
export function verdict(state) {
  const { table, view, you } = state;
  const { winner, reason } = table.result ?? { winner: view.winner, reason: "" };
  if (table.status === "running")
    return {
      heading: t("You have resigned."),
      words: t("The others are playing on. You can watch them, or start a new game."),
    };
  const won = winner === null ? "" : t("{name} has won!", { name: seatName(table.seats, winner) });
  if (you.seat !== null && view.players[you.seat].resigned)
    return { heading: t("You have resigned."), words: won || t("The game is over.") };
  if (winner === null)
    return reason === "resigned"
      ? { heading: resignedHeading(state), words: t("The game is over.") }
      : { heading: t("The game was ended without a winner."), words: "" };
  if (winner === you.seat) return { heading: t("You have won!"), words: victory(state, winner, reason) };
  return { heading: won, words: you.seat === null ? victory(state, winner, reason) : consolation(state) };
}
