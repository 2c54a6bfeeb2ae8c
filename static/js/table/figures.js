// A game in a few figures, from what one has seen of it: turns, cards drawn, the longest jump. Pure.

/** How far along the road a place lies, in spaces from the start. */
export function along({ scenario, passage_boards: passage, jungle_boards: jungle }, place) {
  const isCrossed = scenario === "complete";
  if (place === "start") return 0;
  if (place === "sloop") return passage * 6 + 1;
  if (place === "goal") return (passage + jungle) * 6 + 1 + (isCrossed ? 1 : 0);
  return isCrossed && place > passage * 6 ? place + 1 : place;
}

/** How many spaces a player's pirates are away from the goal, all together. */
export function missing(options, { pirates }) {
  return pirates.reduce((sum, place) => sum + along(options, "goal") - along(options, place), 0);
}

const JUMPS = ["advanced", "parrot_advanced", "hook_advanced"];

/** {turns, drawn, jump} of a seat, from the events of each step. */
export function figuresOf(steps, seat, options) {
  const own = steps.flatMap(({ events }) => events).filter((event) => event.seat === seat);
  const count = (type) => own.filter((event) => event.type === type).length;
  const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
  const jumps = own.filter(({ type }) => JUMPS.includes(type)).map(({ from, to }) => along(options, to) - along(options, from));
  return {
    turns: count("turn_passed") + count("game_won"), // the turn that wins is not passed on
    drawn: sum(own.map(({ type, count: n, kept }) => (type === "cards_drawn" ? n : type === "cards_shared" ? kept : type === "cards_stacked" ? 1 : 0))),
    jump: Math.max(0, ...jumps),
  };
}
