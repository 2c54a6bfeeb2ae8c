// A trial from a turn of a finished game: the table page without room and socket. Each request sends all actions so far;
// the answer, with the bots' replies, is turned into frames of the protocol.

/** @import {Action, Choice, Command, Frame, FrameOf, Refusal, Result, Seat, SocketHandlers, Step, Table, View} from "../core/types.d.ts" */

/** @import {RefusedError} from "../core/api.js" */

import { postUrl } from "../core/api.js";
import { find } from "../core/dom.js";
import { getFromGame } from "../core/password_prompt.js";
import { passwordHeader, storedPassword } from "../core/room_password.js";

/**
 * @typedef {{ seat: number, action: Action }} Tried
 *
 * The server's answer to the actions since the step.
 * @typedef {object} TrialAnswer
 * @property {number} seat
 * @property {View} view
 * @property {Choice[]} choices
 * @property {(Step & { seat: number, action: Action })[]} steps
 * @property {Result | null} result
 * @property {Refusal} [why] The answer to `why`, alone.
 */

const BOT_PAUSE_MS = 650;
const OWN_PERSON = "you";

/**
 * Return the level that plays a seat in the trial: a bot's own, as app/web/pages/trial.py has it, or a mate for a person.
 * @param {Seat} info
 */
export const trialLevel = ({ person, bot }) => (bot && !person ? bot : "mate");

/**
 * Return the table of the trial: bots on all seats but one, no clock, no chat, no votes.
 * @param {Table} table
 * @param {number} seat
 * @param {number} step
 */
function trialTable(table, seat, step) {
  const seats = table.seats.map((info, at) => ({
    ...info,
    person: at === seat ? OWN_PERSON : null,
    bot: at === seat ? null : trialLevel(info),
    absent: false,
    reserved: null,
  }));
  const empty = { result: null, next: null, series: null, clock: null, consents: {}, votes: {}, host: null };
  return /** @type {Table} */ ({
    ...table,
    ...empty,
    seats,
    status: "running",
    paused: false,
    hints: false,
    chat_closed: true,
    trial: { step },
  });
}

/**
 * Like connect() of core/socket.js, for a trial.
 * @param {string} _path
 * @param {Pick<SocketHandlers, "onFrame" | "onStatus">} options
 */
export function connectTrial(_path, { onFrame, onStatus }) {
  const game = decodeURIComponent(location.pathname.split("/")[2]);
  const step = Number(new URLSearchParams(location.search).get("step")) || 0;
  let seq = 0;
  // All actions since the step, including the bots'.
  /** @type {Tried[]} */
  let played = [];
  /** @type {Table} Set, like the seat, by the first answer. */
  let table;
  /** @type {number} */
  let seat;
  let isSkipping = false;

  /**
   * @param {number} knownCount
   * @param {Tried[]} actions
   * @param {object} [more]
   * @returns {Promise<TrialAnswer>}
   */
  const fetchSteps = (knownCount, actions, more) =>
    postUrl(
      `/g/${encodeURIComponent(game)}/try`,
      { step, known: knownCount, actions, ...more },
      passwordHeader(storedPassword(game)),
    );
  /** @param {object} fields */
  const frame = (fields) => {
    seq += 1;
    onFrame(/** @type {Frame} */ ({ seq, at: Date.now(), ...fields }));
  };
  const pause = () =>
    isSkipping ? Promise.resolve() : new Promise((done) => setTimeout(done, BOT_PAUSE_MS));

  /**
   * Return the choices after an answer. All own actions can be undone in a trial.
   * @param {TrialAnswer} answer
   */
  const choiceFields = ({ choices }) => ({
    choices,
    undo: choices.length > 0 && played.some((move) => move.seat === seat),
  });

  /**
   * @param {string | undefined} id
   * @param {RefusedError} problem
   * @returns {never}
   */
  function reject(id, problem) {
    onFrame({ t: "refused", id: id ?? null, code: problem.code, message: problem.message });
    throw problem;
  }

  async function start() {
    try {
      // Prompts for the password if necessary.
      const state = await getFromGame(game);
      const answer = await fetchSteps(0, []);
      ({ seat } = answer);
      table = trialTable(state.table, seat, step);
      const you = { seat, person: OWN_PERSON, name: null, muted: [] };
      onStatus("open", {});
      onFrame(
        /** @type {FrameOf<"welcome">} */ (/** @type {unknown} */ ({ t: "welcome", you, game, presets: [] })),
      );
      frame({ t: "state", table, view: answer.view, you, ...choiceFields(answer) });
      frame({ t: "table", kind: "started", table, view: answer.view, you, ...choiceFields(answer) });
      onFrame({ t: "presence", seats: table.seats.map(({ bot }) => (bot ? null : true)), watching: 0 });
    } catch (problem) {
      const { status, message } = /** @type {RefusedError} */ (problem);
      // Not a refusal but a bug in this page.
      if (status === undefined) throw problem;
      onStatus("open", {});
      find(".trial-note > span").textContent = message;
    }
  }

  /**
   * Show the player's own action at once and the bots' actions one by one.
   * @param {TrialAnswer} answer
   */
  async function playSteps(answer) {
    const { steps, result } = answer;
    for (const [at, { events, by, action, seat: mover }] of steps.entries()) {
      if (at) await pause();
      played.push({ seat: mover, action });
      const isLast = at === steps.length - 1;
      if (isLast && result) {
        const reason = events.find(({ type }) => type === "game_won")?.reason ?? "goal";
        table = { ...table, status: "finished", result: { ...result, reason } };
      }
      frame({
        t: "events",
        events,
        ...(by === "bot" ? { by } : {}),
        ...(isLast ? { table, ...choiceFields(answer) } : {}),
      });
    }
    isSkipping = false;
  }

  /** @param {Command} command */
  async function act({ id, action }) {
    const tried = { seat, action: /** @type {Action} */ (action) };
    const answer = await fetchSteps(played.length, [...played, tried]).catch((problem) =>
      reject(id, problem),
    );
    playSteps(answer);
  }

  /** @param {Command} command */
  async function undo({ id }) {
    const last = played.findLastIndex((move) => move.seat === seat);
    const remaining = played.slice(0, Math.max(0, last));
    const answer = await fetchSteps(remaining.length, remaining).catch((problem) => reject(id, problem));
    played = remaining;
    frame({ t: "table", kind: "undo", seat, table, view: answer.view, ...choiceFields(answer) });
  }

  /** @param {Command} command */
  async function answerWhy({ do: _, id: __, ...why }) {
    const answer = await fetchSteps(played.length, played, { why });
    return answer.why;
  }

  /** @type {HTMLAnchorElement} */ (find("[data-to-review]")).href += `?step=${step}`;
  start();
  return {
    /** @param {Command} command */
    async send(command) {
      if (command.do === "why") return answerWhy(command);
      if (command.do === "act") await act(command);
      else if (command.do === "undo") await undo(command);
      else if (command.do === "pace") isSkipping = command.pace === "skip";
      return undefined;
    },
    sendOneWay() {},
    resync() {},
    reconnect() {},
    reopen() {},
    now: () => Date.now(),
  };
}
