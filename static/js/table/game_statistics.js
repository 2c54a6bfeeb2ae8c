// Statistics of a game from the events that the player has seen: turns, cards drawn, longest jump. Pure functions.

/** @import {GameEvent, MoveEvent, Options, Place, Player, Step} from "../core/types.d.ts" */

/**
 * Return the distance of a place from the start, in spaces.
 * @param {Options} options
 * @param {Place} place
 * @returns {number}
 */
export function distanceAlong({ scenario, passage_boards: passage, jungle_boards: jungle }, place) {
  const isCrossed = scenario === "complete";
  if (place === "start") return 0;
  if (place === "sloop") return passage * 6 + 1;
  if (place === "goal") return (passage + jungle) * 6 + 1 + (isCrossed ? 1 : 0);
  return isCrossed && place > passage * 6 ? place + 1 : place;
}

/**
 * Return the total distance of a player's pirates from the goal, in spaces.
 * @param {Options} options
 * @param {Player} player
 */
export function spacesMissing(options, { pirates }) {
  return pirates.reduce(
    (/** @type {number} */ sum, place) =>
      sum + distanceAlong(options, "goal") - distanceAlong(options, place),
    0,
  );
}

const JUMP_EVENTS = ["advanced", "parrot_advanced", "hook_advanced"];

/**
 * Return the number of turns that a seat has played. One that it resigned or that ended the game counts if it acted.
 * @param {GameEvent[]} events
 * @param {number | null} seat
 */
function countTurns(events, seat) {
  let turns = 0;
  /** @type {number | undefined} Unknown until the first event. */
  let inTurn;
  let hasActed = false;
  let hasResigned = false;
  for (const event of events) {
    if (event.type === "turn_passed") {
      if (event.seat === seat && (hasActed || !hasResigned)) turns += 1;
      inTurn = event.next;
      hasActed = false;
    } else if (event.type === "resigned") hasResigned ||= event.seat === seat;
    else if (event.type !== "game_won" && event.seat !== undefined) {
      inTurn ??= event.seat;
      hasActed ||= event.seat === seat && inTurn === seat;
    }
  }
  return turns + Number(hasActed);
}

/**
 * Return {turns, drawn, jump} of a seat.
 * @param {Step[]} steps
 * @param {number | null} seat
 * @param {Options} options
 */
export function statisticsOf(steps, seat, options) {
  const every = steps.flatMap(({ events }) => events);
  const own = every.filter((event) => event.seat === seat);
  /** @param {number[]} numbers */
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const jumps = own
    .filter(/** @returns {event is MoveEvent} */ (event) => JUMP_EVENTS.includes(event.type))
    .map(({ from, to }) => distanceAlong(options, to) - distanceAlong(options, from));
  return {
    turns: countTurns(every, seat),
    drawn: sum(
      own.map(({ type, count: n, kept }) =>
        type === "cards_drawn" ? n : type === "cards_shared" ? kept : type === "cards_stacked" ? 1 : 0,
      ),
    ),
    jump: Math.max(0, ...jumps),
  };
}
