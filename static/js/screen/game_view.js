// The running game on a big screen: map, turn, last action, players with clocks, supply, earlier actions.

/** @import {Actor, GameEvent, GameState, Cause, Replay, State, Table, TableState} from "../core/types.d.ts" */

import { Board } from "../board/board.js";
import { el, svg } from "../core/dom.js";
import { describeEvents, describeTableEntry } from "../core/event_text.js";
import { t } from "../core/i18n.js";
import { pirateIcon } from "../core/icons.js";
import { letterOf, lookOf, seatName } from "../core/names.js";
import { Clocks } from "../table/clock.js";
import { flyCards } from "../table/flying_cards.js";
import { PlayerPlates } from "../table/player_plates.js";
import { StatusBar } from "../table/status_bar.js";
import { Supply } from "../table/supply.js";

// With more players the join code moves beside the deck.
const MAX_PLAYERS_BESIDE_CODE = 3;
// As many earlier actions as a high screen has room for; those that do not fit are hidden.
const MAX_EARLIER_LINES = 14;
const NO_HAND = { element: () => null, root: null };

/** @typedef {{ text: string, seat: number | null, isMinor: boolean }} Line */

/**
 * Whether these events only end a turn, which the list of earlier actions leaves out.
 * @param {GameEvent[]} events
 */
const isTurnEnd = (events) => events.every(({ type }) => type === "turn_passed");

/**
 * Create the final ranking.
 * @param {Table} table
 */
function Ranking({ seats, result }) {
  const places = (result?.places ?? [])
    .map((place, seat) => ({ place, seat }))
    .sort((a, b) => a.place - b.place);
  return el(
    "ol",
    { class: "ranking" },
    ...places.map(({ place, seat }) => el("li", { value: place }, seatName(seats, seat))),
  );
}

/**
 * GameView({joinCode, now, past}) -> {element, show(state, cause), updatePresence(state), updateClocks(state)}
 * Clocks follow the latest state even while playback shows an older one. `past` fetches what spectators have seen.
 * @param {{
 *   joinCode: { element: HTMLElement },
 *   now: () => number,
 *   past: (state: GameState) => Promise<Replay | null>,
 * }} parts
 */
export function GameView({ joinCode, now, past }) {
  const drawing = svg("svg");
  const map = el("section", { class: "map", "aria-label": t("The board") }, drawing);
  const bar = el("header", { class: "status" });
  const figure = el("span", { class: "told-figure" });
  const words = el("p", { class: "told-words" });
  const lastAction = el("div", { class: "told", role: "status" }, figure, words);
  const players = el("section", { class: "seats", "aria-label": t("Players") });
  const cards = el("section", { class: "supply", "aria-label": t("The supply") });
  const earlier = el("ol", { class: "earlier", "aria-label": t("What happened") });
  const side = el("div", { class: "screen-side" }, players, cards, earlier);
  const element = el(
    "div",
    { class: "screen-game" },
    el("div", { class: "screen-main" }, bar, map, lastAction),
    side,
  );
  const board = Board(drawing, { fit: "box", interactive: false });
  const status = StatusBar(bar);
  const seats = PlayerPlates(players, { onSeat() {}, onPerson() {} });
  const supply = Supply(cards);
  const clocks = Clocks((seat) => seats.clock(seat), now);
  let colours = "";
  let game = "";
  /** @type {GameState | null} The state after the last gap. */
  let resetState = null;
  // Lines added since then.
  let newLines = 0;
  /** @type {Line[]} The last action, then the earlier ones. */
  let lines = [];

  /**
   * @param {GameEvent[]} events
   * @param {GameState} state
   * @param {Actor} [by]
   * @returns {Line}
   */
  const lineOf = (events, { view, table }, by) => ({
    ...describeEvents(events, view, table.seats, by),
    isMinor: isTurnEnd(events),
  });

  /**
   * Describe the last action. The sentence stays until the next one.
   * @param {GameState} state
   * @param {Cause} cause
   */
  function describeLast(state, { events, by, kind, seat, reset }) {
    if (reset) loadLines(state);
    else if (events?.length) addLine(lineOf(events, state, by), state.table);
    else if (kind) {
      const text = describeTableEntry(kind, seat, state.table.seats);
      addLine({ text, seat: seat ?? null, isMinor: true }, state.table);
    }
  }

  /**
   * Show what happened before this screen was opened, or while it was disconnected.
   * @param {GameState} state
   */
  async function loadLines(state) {
    newLines = 0;
    resetState = state;
    const replay = await past(state);
    if (!replay || state !== resetState) return;
    const steps = replay.steps.filter(({ seq }) => seq <= state.seq).slice(-2 * MAX_EARLIER_LINES);
    const loaded = steps.map(({ events, by }) => lineOf(events, state, by)).filter(({ text }) => text);
    lines = [...lines.slice(0, newLines), ...loaded.reverse()];
    showLines(state.table);
    const last = steps.findLast(({ events }) => !isTurnEnd(events));
    if (!newLines && last) showArrows(state, last.events);
  }

  /**
   * @param {Line} line
   * @param {Table} table
   */
  function addLine(line, table) {
    if (!line.text) return;
    newLines += 1;
    lines = [line, ...lines].slice(0, 2 * MAX_EARLIER_LINES);
    showLines(table);
  }

  /** @param {Table} table */
  function showLines({ seats: taken }) {
    /** @param {number | null} seat */
    const Figure = (seat) => {
      const look = seat === null ? null : lookOf(taken, seat);
      return look === null ? [] : [pirateIcon(look, letterOf(look))];
    };
    const [last, ...rest] = lines;
    words.textContent = last?.text ?? "";
    figure.replaceChildren(...Figure(last?.seat ?? null));
    const before = rest.filter(({ isMinor }) => !isMinor).slice(0, MAX_EARLIER_LINES);
    earlier.replaceChildren(
      ...before.map(({ text, seat }) => el("li", {}, ...Figure(seat), el("span", {}, text))),
    );
  }

  /**
   * Show the ranking and how to start another game.
   * @param {TableState} state
   */
  function showEnd({ table }) {
    const nextStep = table.next
      ? t("The next game is being set up; this screen will follow.")
      : t("One more game? Press Rematch on a phone.");
    figure.replaceChildren();
    words.replaceChildren(Ranking(table), el("span", { class: "told-way" }, nextStep));
  }

  /**
   * @param {GameState} state
   * @param {GameEvent[]} events
   */
  function showArrows({ table, view }, events) {
    const { traces } = describeEvents(events, view, table.seats);
    board.mark({ traces: traces.map((move) => ({ ...move, look: lookOf(table.seats, move.seat) })) });
  }

  /** @param {GameState} state */
  function updatePresence(state) {
    status.update(state);
    seats.update(state);
  }

  return {
    element,
    updatePresence,
    /** @param {State} state */
    updateClocks(state) {
      if (state.view) clocks.update({ ...state, view: state.view });
    },
    /**
     * @param {GameState} state
     * @param {Cause} cause
     */
    show(state, cause) {
      const { table, view } = state;
      const { events = [] } = cause;
      const home = view.players.length > MAX_PLAYERS_BESIDE_CODE ? cards : side;
      if (joinCode.element.parentElement !== home) home.append(joinCode.element);
      joinCode.element.hidden = !table.spectators;
      if (game !== table.id) {
        game = table.id;
        lines = [];
        newLines = 0;
        resetState = null;
        showLines(table);
      }
      const newColours = JSON.stringify(table.seats.map(({ colour }) => colour));
      if (newColours !== colours) board.setSeats(table.seats);
      colours = newColours;
      updatePresence(state);
      supply.update(state);
      const isOver = table.status !== "running";
      if (isOver) showEnd(state);
      else describeLast(state, cause);
      if (events.length) flyCards(events, { seat: null, hand: NO_HAND, seats, supply });
      if (events.length && !isOver) showArrows(state, events);
      else if (cause.reset || isOver) board.mark({});
      return board.set(view, events);
    },
  };
}
