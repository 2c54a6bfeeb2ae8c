// The analysis board: the table page without a room, where one person plays for every seat, with chances and best turns.
// Each request sends a position code and the actions since; the answer is turned into frames of the protocol.

/** @import {Action, Choice, Command, Frame, FrameOf, GameEvent, Refusal, Result, SocketHandlers, Table, View} from "../core/types.d.ts" */

import { postUrl, RefusedError } from "../core/api.js";
import { el, find, findAll, setChildren } from "../core/dom.js";
import { describeEvents } from "../core/event_text.js";
import { formatPercent, t } from "../core/i18n.js";
import { pirateIcon } from "../core/icons.js";
import { letterOf, lookOf, seatName } from "../core/names.js";
import { OneAtATime } from "../core/one_at_a_time.js";
import { toast } from "../core/toast.js";

/**
 * @typedef {{ seat: number, action: Action }} Played
 *
 * Where the line stands: a code, and the actions since.
 * @typedef {{ code: string, actions: Played[] }} Moment
 *
 * @typedef {object} AnalysisAnswer
 * @property {string | null} code Null while a choice is pending and after the end.
 * @property {string} start
 * @property {number} seat
 * @property {View} view
 * @property {Choice[]} choices
 * @property {{ seat: number, events: GameEvent[] }[]} steps
 * @property {Result | null} result
 * @property {Refusal} [why] The answer to `why`, alone.
 *
 * @typedef {{ actions: Action[], events: GameEvent[], chances: number[] }} RatedTurn
 * @typedef {{ seat: number, chances: number[], turns: RatedTurn[] }} Evaluation
 */

const STEP_PAUSE_MS = 500;
const EVALUATION_DELAY_MS = 250;
const EVALUATION_RETRY_MS = 10_000;
// From here on the best turns are beside the board (static/css/analysis.css); on smaller screens they cover it.
const WIDE = "(min-width: 62rem)";

/**
 * Return the table of an analysis: no people, no clock, no chat.
 * @param {View} view
 * @param {string} code
 */
const analysisTable = (view, code) =>
  /** @type {Table} */ ({
    id: "analysis",
    title: "",
    status: "running",
    options: view.options,
    rules_version: 1,
    visibility: "unlisted",
    locked: true,
    spectators: false,
    clock: null,
    on_timeout: "bot",
    absence: 0,
    hints: false,
    pace: 0,
    bot_level: "mate",
    host: null,
    commitment: "",
    server_seed: null,
    scheme: 1,
    nonces: [],
    seats: view.players.map(() => ({
      person: null,
      name: null,
      colour: null,
      ready: true,
      bot: null,
      absent: false,
      reserved: null,
    })),
    consents: {},
    votes: {},
    paused: false,
    chat_closed: true,
    result: null,
    next: null,
    next_commitment: null,
    series: null,
    trial: { step: 0, code },
  });

/**
 * Return the code with another seat to play, at the start of its turn.
 * @param {string} code
 * @param {number} seat
 */
function withTurnOf(code, seat) {
  const parts = code.split("~");
  parts[6] = `${seat}00${parts[6].slice(3).replace("u", "")}`;
  return parts.join("~");
}

/**
 * Like connect() of core/socket.js, for an analysis.
 * @param {string} _path
 * @param {Pick<SocketHandlers, "onFrame" | "onStatus">} options
 */
export function connectAnalysis(_path, { onFrame, onStatus }) {
  const panel = find(".analysis");
  const note = find(".analysis-note", panel);
  /** @type {HTMLSelectElement} */
  const turnOf = find("[data-turn-of]", panel);
  /** @type {HTMLDetailsElement} */
  const turns = find("[data-best-turns]", panel);
  const best = find("[data-best]", panel);
  const chanceList = find("[data-chances]", panel);
  const undoEnd = find("[data-undo]", panel);
  let seq = 0;
  /** @type {Moment} */
  let moment = { code: String(new URLSearchParams(location.search).get("p")), actions: [] };
  /** @type {Moment[]} Earlier moments, for undo. */
  const history = [];
  /** @type {AnalysisAnswer} */
  let answer;
  /** @type {Table} */
  let table;
  let evaluationTimer = 0;
  // Counts evaluations: the answer to an older one is dropped.
  let evaluationCount = 0;
  // Every change of the moment: a second one would start from an answer that is out of date.
  const moves = OneAtATime(() => panel.setAttribute("aria-busy", String(moves.isBusy)));

  /** @param {Moment & { why?: object }} next */
  const fetchMoment = (next) => /** @type {Promise<AnalysisAnswer>} */ (postUrl("/analysis/play", next));
  /** @param {object} fields */
  const frame = (fields) => {
    seq += 1;
    onFrame(/** @type {Frame} */ ({ seq, at: Date.now(), ...fields }));
  };
  const you = () => ({ seat: answer.seat, person: null, name: null, muted: [] });
  const choiceFields = () => ({ choices: answer.choices, undo: history.length > 0 });

  /** Show the newest answer as a whole. */
  function showState() {
    frame({ t: "state", table, view: answer.view, you: you(), ...choiceFields() });
    const { seat } = answer;
    setChildren(
      turnOf,
      ...table.seats.map((_, at) =>
        el("option", { value: at, selected: at === seat }, seatName(table.seats, at)),
      ),
    );
    turnOf.disabled = !answer.code;
    // The tray, with its own button, is hidden after the end.
    undoEnd.hidden = !answer.result || !history.length;
    if (answer.code) {
      const address = `/analysis?p=${encodeURIComponent(answer.code)}`;
      window.history.replaceState(null, "", address);
      /** @type {HTMLAnchorElement} */ (find("[data-setup]", panel)).href = address.replace(
        "/analysis?",
        "/analysis/setup?",
      );
    }
    planEvaluation();
  }

  function planEvaluation() {
    clearTimeout(evaluationTimer);
    evaluationCount += 1;
    // Later the last chances stay on the page, dimmed.
    note.textContent = answer.code && !chanceList.children.length ? t("Searching for the best turns…") : "";
    panel.classList.add("is-thinking");
    if (answer.code) evaluationTimer = setTimeout(evaluate, EVALUATION_DELAY_MS);
    else clearEvaluation();
  }

  function clearEvaluation() {
    panel.classList.remove("is-thinking");
    setChildren(chanceList);
    setChildren(best);
  }

  async function evaluate() {
    const { code, view } = answer;
    const count = evaluationCount;
    try {
      /** @type {Evaluation} */
      const found = await postUrl("/analysis/evaluate", { code });
      if (count !== evaluationCount) return;
      note.textContent = "";
      panel.classList.remove("is-thinking");
      showEvaluation(found, view);
    } catch (problem) {
      if (!(problem instanceof RefusedError)) throw problem;
      if (count !== evaluationCount) return;
      note.textContent = problem.message;
      clearEvaluation();
      // Too many requests, or no connection.
      if (problem.status === 429 || problem.status === 0)
        evaluationTimer = setTimeout(evaluate, EVALUATION_RETRY_MS);
    }
  }

  /**
   * @param {Evaluation} evaluation
   * @param {View} view
   */
  function showEvaluation({ seat, chances, turns }, view) {
    const hadFocus = best.contains(document.activeElement);
    setChildren(
      chanceList,
      ...chances.map((chance, at) => {
        const look = lookOf(table.seats, at);
        return el(
          "li",
          {},
          pirateIcon(look, letterOf(look)),
          el("span", { class: "hidden" }, seatName(table.seats, at)),
          el("b", {}, formatPercent(chance)),
        );
      }),
    );
    setChildren(
      best,
      ...turns.map((turn) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "best-turn", onclick: () => chooseTurn(turn.actions, seat) },
            el("b", {}, formatPercent(turn.chances[seat])),
            el("span", {}, describeEvents(turn.events, view, table.seats).text || t("End the turn.")),
          ),
        ),
      ),
    );
    if (hadFocus) find("button", best)?.focus();
  }

  /**
   * Go to another moment; the newest of its actions are animated one by one.
   * @param {Moment} next
   */
  async function advance(next) {
    const known = moment.actions.length;
    const found = await fetchMoment(next);
    history.push(moment);
    moment = next;
    answer = found;
    const steps = found.steps.slice(known);
    for (const [at, { events }] of steps.entries()) {
      if (at) await new Promise((done) => setTimeout(done, STEP_PAUSE_MS));
      const isLast = at === steps.length - 1;
      const { result } = found;
      if (isLast && result) {
        const reason = events.find(({ type }) => type === "game_won")?.reason ?? "goal";
        table = { ...table, status: "finished", result: { ...result, reason } };
      }
      frame({ t: "events", events, ...(isLast ? { table, ...choiceFields() } : {}) });
    }
    // The next turn begins a new line, so that requests stay short.
    if (found.code && found.view.turn.taken === 0) moment = { code: found.code, actions: [] };
    showState();
  }

  /**
   * Play a whole turn for a seat, up to an action that is impossible with the cards drawn, or before a choice.
   * @param {Action[]} actions
   * @param {number} seat
   */
  async function playTurn(actions, seat) {
    const played = actions.map((action) => ({ seat, action }));
    for (let count = played.length; count > 0; count -= 1) {
      try {
        await advance({ ...moment, actions: [...moment.actions, ...played.slice(0, count)] });
        return;
      } catch (problem) {
        if (count === 1 || !(problem instanceof RefusedError) || problem.status !== 409) throw problem;
      }
    }
  }

  /**
   * @param {Action[]} actions
   * @param {number} seat
   */
  function chooseTurn(actions, seat) {
    // The list belongs to the position before.
    if (panel.classList.contains("is-thinking")) return;
    if (!matchMedia(WIDE).matches) {
      turns.open = false;
      find("summary", turns).focus();
    }
    runOrNote(() => playTurn(actions, seat));
  }

  /**
   * Like `moves.run`, but shows a refusal in the panel.
   * @param {() => Promise<void>} move
   */
  async function runOrNote(move) {
    try {
      await moves.run(move);
    } catch (problem) {
      if (!(problem instanceof RefusedError)) throw problem;
      note.textContent = problem.message;
    }
  }

  async function undo() {
    const earlier = history.at(-1);
    if (!earlier) return;
    answer = await fetchMoment(earlier);
    history.pop();
    moment = earlier;
    table = { ...table, status: "running", result: null };
    frame({ t: "table", kind: "undo", seat: answer.seat, table, view: answer.view, ...choiceFields() });
    showState();
  }

  /**
   * @param {string | undefined} id
   * @param {() => Promise<void>} move
   */
  async function runOrRefuse(id, move) {
    try {
      await moves.run(move);
    } catch (problem) {
      if (problem instanceof RefusedError)
        onFrame({ t: "refused", id: id ?? null, code: problem.code, message: problem.message });
      throw problem;
    }
  }

  async function start() {
    try {
      answer = await fetchMoment(moment);
      table = analysisTable(answer.view, moment.code);
      onStatus("open", {});
      onFrame(
        /** @type {FrameOf<"welcome">} */ (
          /** @type {unknown} */ ({ t: "welcome", you: you(), game: "analysis", presets: [] })
        ),
      );
      frame({ t: "state", table, view: answer.view, you: you(), ...choiceFields() });
      frame({ t: "table", kind: "started", table, view: answer.view, you: you(), ...choiceFields() });
      onFrame({ t: "presence", seats: table.seats.map(() => true), watching: 0 });
      showState();
    } catch (problem) {
      if (!(problem instanceof RefusedError)) throw problem;
      onStatus("open", {});
      note.textContent = problem.message;
      for (const part of findAll("[data-best-turns], [data-turn-label], [data-share]", panel))
        part.hidden = true;
    }
  }

  find("[data-share]", panel).addEventListener("click", async () => {
    const copied = await navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    toast(copied ? t("The link has been copied.") : location.href);
  });
  turnOf.addEventListener("change", async () => {
    const { code } = answer;
    if (code) await runOrNote(() => advance({ code: withTurnOf(code, Number(turnOf.value)), actions: [] }));
    // If the change was refused or dropped.
    turnOf.value = String(answer.seat);
  });
  undoEnd.addEventListener("click", () => runOrNote(undo));
  // Open where there is room beside the board.
  turns.open = matchMedia("(min-width: 80rem)").matches;
  // Where the list covers the board, a click elsewhere and Escape close it (static/js/pages/shell.js).
  const wide = matchMedia(WIDE);
  const setMenu = () => turns.toggleAttribute("data-menu", !wide.matches);
  wide.addEventListener("change", setMenu);
  setMenu();
  start();
  return {
    /** @param {Command} command */
    async send({ do: what, id, action, ...more }) {
      if (what === "why") return (await fetchMoment({ ...moment, why: more })).why;
      const played = { seat: answer.seat, action: /** @type {Action} */ (action) };
      if (what === "act")
        await runOrRefuse(id, () => advance({ ...moment, actions: [...moment.actions, played] }));
      else if (what === "undo") await runOrRefuse(id, undo);
      return undefined;
    },
    sendOneWay() {},
    resync() {},
    reconnect() {},
    reopen() {},
    now: () => Date.now(),
  };
}
