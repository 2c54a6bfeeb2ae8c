// A newcomer's first games against bots on this browser. They show hints if their table allows them (first_hints.js).

import { changePref, pref } from "./preferences.js";

const MAX_FIRST_GAMES = 3;

/** Whether the next game against bots is one of the first. */
export const isNewcomer = () => pref("firstGames").length < MAX_FIRST_GAMES;

/**
 * Count a game against bots.
 * @param {string} game
 */
export function countBotGame(game) {
  changePref("firstGames", (games) => [...games, game].slice(0, MAX_FIRST_GAMES));
}
