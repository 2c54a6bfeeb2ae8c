// The running game for the whole room: the map, whose turn, the last action in words, players with clocks, the supply.

import { Board } from "../board/board.js";
import { Clocks } from "../table/clock.js";
import { flyCards } from "../table/flying_cards.js";
import { Seats } from "../table/seats.js";
import { StatusBar } from "../table/status.js";
import { Supply } from "../table/supply.js";
import { el, svg } from "../core/dom.js";
import { eventLine, tableLine } from "../core/event_text.js";
import { pirateIcon } from "../core/icons.js";
import { letterOf, lookOf, seatName } from "../core/names.js";
import { t } from "../core/i18n.js";

const MANY = 3; // players: beyond that the code lies beside the deck, where there is room
const nobody = { element: () => null, root: null }; // a screen holds no cards

/** This screen is one of those who watch. */
const withoutSelf = (state) => ({ ...state, presence: { ...state.presence, watching: Math.max(0, state.presence.watching - 1) } });

/** Places, once it is over: the first first. */
function ranking({ seats, result }) {
  const places = (result?.places ?? []).map((place, seat) => ({ place, seat })).sort((a, b) => a.place - b.place);
  return el("ol", { class: "ranking" }, ...places.map(({ place, seat }) => el("li", { value: place }, seatName(seats, seat))));
}

/**
 * GameView({scan, now}) -> {element, show(state, happened), present(state), live(state)}: `present` for who is here, `live`
 * for the clocks, which run on while an older state is shown.
 */
export function GameView({ scan, now }) {
  const drawing = svg("svg");
  const map = el("section", { class: "map", "aria-label": t("The board") }, drawing);
  const bar = el("header", { class: "status" });
  const figure = el("span", { class: "told-figure" });
  const words = el("p", { class: "told-words" });
  const told = el("div", { class: "told", role: "status" }, figure, words);
  const players = el("section", { class: "seats", "aria-label": t("Players") });
  const cards = el("section", { class: "supply", "aria-label": t("The supply") });
  const side = el("div", { class: "screen-side" }, players, cards);
  const element = el("div", { class: "screen-game" }, el("div", { class: "screen-main" }, bar, map, told), side);
  const board = Board(drawing, { fit: "box", interactive: false });
  const status = StatusBar(bar);
  const seats = Seats(players, { onSeat() {}, towards() {} });
  const supply = Supply(cards);
  const clocks = Clocks((seat) => seats.clock(seat), now);
  let colours = "";
  let game = "";

  /** The last thing that happened, in words; it stays until the next. */
  function tell({ table, view }, { events, by, kind, seat }) {
    if (events?.length) {
      const line = eventLine(events, view, table.seats, by);
      if (line.text) say(line.text, line.seat, table);
    } else if (kind) {
      const line = tableLine(kind, seat, table.seats);
      if (line) say(line, seat ?? null, table);
    }
  }

  function say(text, seat, table) {
    words.textContent = text;
    const look = seat === null ? null : lookOf(table.seats, seat);
    figure.replaceChildren(...(look === null ? [] : [pirateIcon(look, letterOf(look))]));
  }

  /** Who came in which place, and how to go on. */
  function tellEnd({ table }) {
    const way = table.next ? t("The next game is set up: this screen follows.") : t("One more? Press Rematch on a phone.");
    figure.replaceChildren();
    words.replaceChildren(ranking(table), el("span", { class: "told-way" }, way));
  }

  function arrows({ table, view }, events) {
    const { traces } = eventLine(events, view, table.seats);
    board.mark({ traces: traces.map((each) => ({ ...each, look: lookOf(table.seats, each.seat) })) });
  }

  function present(state) {
    status.update(withoutSelf(state));
    seats.update(state);
  }

  return {
    element,
    present,
    live(state) {
      if (state.view) clocks.update(state);
    },
    show(state, happened) {
      const { table, view } = state;
      const { events = [] } = happened;
      const home = view.players.length > MANY ? cards : side;
      if (scan.element.parentElement !== home) home.append(scan.element);
      scan.element.hidden = !table.spectators;
      if (game !== table.id) {
        game = table.id;
        words.textContent = "";
        figure.replaceChildren();
      }
      const worn = JSON.stringify(table.seats.map(({ colour }) => colour));
      if (worn !== colours) board.seats(table.seats);
      colours = worn;
      present(state);
      supply.update(state);
      const isOver = table.status !== "running";
      if (isOver) tellEnd(state);
      else tell(state, happened);
      if (events.length) flyCards(events, { seat: null, hand: nobody, seats, supply });
      if (events.length && !isOver) arrows(state, events);
      else if (happened.reset || isOver) board.mark({});
      return board.set(view, events);
    },
  };
}
