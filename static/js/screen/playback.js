// What happens is shown one thing after the other, slowly enough to be followed from a sofa; whoever plays fast is
// followed faster, and what has fallen far behind is skipped.

import { setSpeed } from "../board/animate.js";

const SLOWLY = 2; // times as long as at the table
const HOLD = 1500; // milliseconds that an action stays before the next one is shown
const SHORT_HOLD = 350; // the end of a turn, somebody who sits down
const MOST_BEHIND = 8; // things that wait; more, and only the last is shown
const LONGEST = 8000; // no picture holds up the next one for longer

const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const isMove = ({ events = [] }) => events.some(({ type }) => type !== "turn_passed");

/** Playback(show) -> {add(state, happened)}; show(state, happened) gives a promise until its picture is at rest. */
export function Playback(show) {
  const waiting = [];
  let isRunning = false;

  async function run() {
    isRunning = true;
    try {
      while (waiting.length) {
        const [state, happened] = waiting.shift();
        const hurry = 1 + waiting.length / 2;
        setSpeed(SLOWLY / hurry);
        const held = (isMove(happened) ? HOLD : SHORT_HOLD) / hurry;
        await Promise.all([Promise.race([show(state, happened), rest(LONGEST)]), rest(happened.reset ? 0 : held)]);
      }
    } finally {
      isRunning = false; // whatever went wrong with one picture, the next is shown
    }
  }

  return {
    add(state, happened) {
      if (happened.reset || waiting.length >= MOST_BEHIND) waiting.splice(0, waiting.length, [state, { reset: true }]);
      else waiting.push([state, happened]);
      if (!isRunning) run();
    },
  };
}
