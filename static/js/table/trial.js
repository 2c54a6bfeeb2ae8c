// A trial from a turn of a finished game: the table page as ever, but behind it no room and no socket. Every action goes
// to the server with all that were played before it, and comes back with the bots' replies, as frames of the protocol.

import { postTo } from "../core/api.js";
import { find } from "../core/dom.js";
import { getOfGame } from "../core/password_door.js";
import { keptPassword, passwordHeader } from "../core/room_password.js";

const BEAT = 650; // milliseconds between two actions of bots
const ME = "you";

/** The table of the game as it is tried: bots on all seats but one, no clock, no chat, nothing to vote about. */
export function trialTable(table, seat, step) {
  const seats = table.seats.map((info, at) => ({
    ...info,
    person: at === seat ? ME : null,
    bot: at === seat ? null : "mate",
    absent: false,
    reserved: null,
  }));
  const empty = { result: null, next: null, series: null, clock: null, consents: {}, votes: {}, host: null };
  return { ...table, ...empty, seats, status: "running", paused: false, hints: false, chat_closed: true, trial: { step } };
}

/** trial(path, {onFrame, onStatus}) -> what connect() of core/socket.js gives. */
export function trial(path, { onFrame, onStatus }) {
  const game = decodeURIComponent(location.pathname.split("/")[2]);
  const step = Number(new URLSearchParams(location.search).get("step")) || 0;
  let seq = 0;
  let played = []; // [{seat, action}] since the step, those of bots too
  let table = null;
  let seat = null;
  let isSkipping = false;

  const ask = (known, actions) => postTo(`/g/${encodeURIComponent(game)}/try`, { step, known, actions }, passwordHeader(keptPassword(game)));
  const frame = (fields) => onFrame({ seq: (seq += 1), at: Date.now(), ...fields });
  const rest = () => (isSkipping ? Promise.resolve() : new Promise((done) => setTimeout(done, BEAT)));

  /** What may be done after it; anything of one's own can be taken back, since nothing is at stake. */
  const may = ({ choices }) => ({ choices, undo: choices.length > 0 && played.some((each) => each.seat === seat) });

  function refused(id, problem) {
    onFrame({ t: "refused", id, code: problem.code, message: problem.message });
    throw problem;
  }

  async function begin() {
    try {
      const state = await getOfGame(game); // asks for the password where one is needed
      const answer = await ask(0, []);
      ({ seat } = answer);
      table = trialTable(state.table, seat, step);
      const you = { seat, person: ME, name: null, muted: [] };
      onStatus("open");
      onFrame({ t: "welcome", you, game, presets: [] });
      frame({ t: "state", table, view: answer.view, you, ...may(answer) });
      frame({ t: "table", kind: "started", table, view: answer.view, you, ...may(answer) });
      onFrame({ t: "presence", seats: table.seats.map(({ bot }) => (bot ? null : true)), watching: 0 });
    } catch (problem) {
      if (problem.status === undefined) throw problem; // a fault of this page
      onStatus("open");
      find(".trial-note > span").textContent = problem.message;
    }
  }

  /** One's own action at once, those of the bots one after the other. */
  async function tell(answer) {
    const { steps, result } = answer;
    for (const [at, { events, by, action, seat: mover }] of steps.entries()) {
      if (at) await rest();
      played.push({ seat: mover, action });
      const isLast = at === steps.length - 1;
      if (isLast && result) {
        const reason = events.find(({ type }) => type === "game_won")?.reason ?? "goal";
        table = { ...table, status: "finished", result: { ...result, reason } };
      }
      frame({ t: "events", events, ...(by === "bot" ? { by } : {}), ...(isLast ? { table, ...may(answer) } : {}) });
    }
    isSkipping = false;
  }

  async function act({ id, action }) {
    const answer = await ask(played.length, [...played, { seat, action }]).catch((problem) => refused(id, problem));
    tell(answer);
  }

  async function undo({ id }) {
    const last = played.findLastIndex((each) => each.seat === seat);
    const kept = played.slice(0, Math.max(0, last));
    const answer = await ask(kept.length, kept).catch((problem) => refused(id, problem));
    played = kept;
    frame({ t: "table", kind: "undo", seat, table, view: answer.view, ...may(answer) });
  }

  find("[data-to-review]").href += `?step=${step}`;
  begin();
  return {
    async send(command) {
      if (command.do === "act") await act(command);
      else if (command.do === "undo") await undo(command);
      else if (command.do === "pace") isSkipping = command.pace === "skip";
    },
    tell() {},
    resync() {},
    reconnect() {},
    reopen() {},
    now: () => Date.now(),
  };
}
