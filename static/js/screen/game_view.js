// The running game on a big screen: map, turn, last action, players with clocks, supply.

/** @import {GameEvent, GameState, Cause, State, Table, TableState} from "../core/types.d.ts" */

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
const NO_HAND = { element: () => null, root: null };

/**
 * Do not count this screen as a spectator.
 * @param {GameState} state
 */
const withoutThisScreen = (state) => ({
  ...state,
  presence: { ...state.presence, watching: Math.max(0, state.presence.watching - 1) },
});

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
 * GameView({joinCode, now}) -> {element, show(state, cause), updatePresence(state), updateClocks(state)}
 * Clocks follow the latest state even while playback shows an older one.
 * @param {{ joinCode: { element: HTMLElement }, now: () => number }} parts
 */
export function GameView({ joinCode, now }) {
  const drawing = svg("svg");
  const map = el("section", { class: "map", "aria-label": t("The board") }, drawing);
  const bar = el("header", { class: "status" });
  const figure = el("span", { class: "told-figure" });
  const words = el("p", { class: "told-words" });
  const lastAction = el("div", { class: "told", role: "status" }, figure, words);
  const players = el("section", { class: "seats", "aria-label": t("Players") });
  const cards = el("section", { class: "supply", "aria-label": t("The supply") });
  const side = el("div", { class: "screen-side" }, players, cards);
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

  /**
   * Describe the last action. The sentence stays until the next one.
   * @param {GameState} state
   * @param {Cause} cause
   */
  function describeLast({ table, view }, { events, by, kind, seat }) {
    if (events?.length) {
      const line = describeEvents(events, view, table.seats, by);
      if (line.text) showSentence(line.text, line.seat, table);
    } else if (kind) {
      const line = describeTableEntry(kind, seat, table.seats);
      if (line) showSentence(line, seat ?? null, table);
    }
  }

  /**
   * @param {string} text
   * @param {number | null} seat
   * @param {Table} table
   */
  function showSentence(text, seat, table) {
    words.textContent = text;
    const look = seat === null ? null : lookOf(table.seats, seat);
    figure.replaceChildren(...(look === null ? [] : [pirateIcon(look, letterOf(look))]));
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
    status.update(withoutThisScreen(state));
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
        words.textContent = "";
        figure.replaceChildren();
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
