// The parts of the table page: builds the regions once and subscribes each part to the fields it is drawn from.

/** @import {Action, Card, GameEvent, GameState, Cause, Place, Seat, Send, State, StateStore, TableState, Trace} from "../core/types.d.ts" */

import { Board } from "../board/board.js";
import { find, loadStylesheet, targetOf } from "../core/dom.js";
import { withWholeCatalogue } from "../core/i18n.js";
import { loadNeeded, loadOnce } from "../core/load_once.js";
import { lookOf } from "../core/names.js";
import { Banners } from "./banners.js";
import { HistoryTools } from "./catch_up.js";
import { Clocks } from "./clock.js";
import { FocusKeeper } from "./focus.js";
import { Hand } from "./hand.js";
import { LogAndChat } from "./log_and_chat.js";
import { MenuButton } from "./menu_button.js";
import { PlayerPlates } from "./player_plates.js";
import { buildRegions } from "./regions.js";
import { marksOf } from "./selection.js";
import { SmallScreen } from "./small_screen.js";
import { StatusBar } from "./status_bar.js";
import { displayedState, hasChoices } from "./store.js";
import { Supply } from "./supply.js";
import { Tray } from "./tray.js";

/**
 * Callbacks of the parts.
 * @typedef {object} Handlers
 * @property {Send} send
 * @property {() => Seat[]} currentSeats
 * @property {(action: Action) => void} act
 * @property {() => void} undo
 * @property {(seat: number, name: string) => void} sit
 * @property {(text: string) => void} refuse
 * @property {() => void} refuseUnreachable
 * @property {string} game
 * @property {(person: string, name: string) => void} onPerson
 * @property {() => void} voidRound
 * @property {() => number} now
 * @property {(card: Card) => void} onCard
 * @property {(card: Card) => void} onLift
 * @property {(place: Place) => void} onPlace
 * @property {(seat: number) => void} onSeat
 * @property {() => void} onSupply
 * @property {(card: Card, target: Element | null) => void} onDrop
 * @property {() => void} onClear
 * @property {(trace: Trace | null) => void} onTrace
 * @property {(name: string) => void} onPace
 * @property {() => void} onSkip
 * @property {(isWanted: boolean) => void} onSound
 * @property {(line: { text: string } | { preset: string }) => void} onChat
 * @property {(person: string, on: boolean) => void} onMute
 * @property {() => void} onResign
 * @property {() => void} onLeave
 * @property {() => void} onHint
 * @property {() => void} onDevice
 *
 * A part that is loaded on demand.
 * @typedef {{ update: (state: GameState, events?: GameEvent[]) => void, show?: () => void }} LatePart
 */

/**
 * Whether the end card may be needed soon: a player has at most two pirates left or has resigned, or the game is over.
 * @param {GameState} state
 */
const isNearEnd = ({ table, view }) =>
  table.status !== "running" ||
  view.players.some(
    ({ pirates, resigned }) => resigned || pirates.filter((place) => place !== "goal").length <= 2,
  );

/**
 * Build all parts of the page. Return functions that focus them, and `showMissed` of the history tools.
 * @param {HTMLElement} root
 * @param {StateStore} store
 * @param {Handlers} on
 */
export function buildParts(root, store, on) {
  const box = buildRegions(root);
  const smallScreen = SmallScreen({ root, ...box });
  const board = Board(box.drawing, { onSpace: on.onPlace, fit: "box" });
  const status = StatusBar(box.status);
  const banners = Banners(box.bannerRows, box.flash, {
    send: on.send,
    now: on.now,
    onReload: () => location.reload(),
    refuseUnreachable: on.refuseUnreachable,
    onSound: on.onSound,
  });
  const seats = PlayerPlates(box.seats, { onSeat: on.onSeat, onPerson: on.onPerson });
  const supply = Supply(box.supply, { onSupply: on.onSupply });
  const hand = Hand(box.hand, { onCard: on.onCard, onLift: on.onLift, onDrop: on.onDrop });
  const tray = Tray(box.tray, { onAction: on.act, onUndo: on.undo, onClear: on.onClear, onHint: on.onHint });
  const logAndChat = LogAndChat(
    box.talk,
    { onTrace: on.onTrace, onChat: on.onChat, onMute: on.onMute, onPerson: on.onPerson },
    status.menu,
  );
  const menu = MenuButton(status.menu, {
    send: on.send,
    currentSeats: on.currentSeats,
    refuse: on.refuse,
    refuseUnreachable: on.refuseUnreachable,
    onResign: on.onResign,
    onLeave: on.onLeave,
    onHint: on.onHint,
    onDevice: on.onDevice,
    onPace: on.onPace,
  });
  const historyTools = HistoryTools(box.map, store, {
    game: String(root.dataset.game),
    now: on.now,
    onSkip: on.onSkip,
    onPace: on.onPace,
    onProblem: on.refuse,
  });
  const loadBubbles = loadOnce(() =>
    import("./chat_bubbles.js").then(({ ChatBubbles }) => ChatBubbles(seats.element, on.now)),
  );
  // Loaded for a game with a clock.
  /** @type {ReturnType<typeof import("./own_clock.js").OwnClock> | null} */
  let ownClock = null;
  const makeOwnClock = loadOnce(() =>
    import("./own_clock.js").then(({ OwnClock }) => OwnClock(box.bench, { onTimeUp: on.refuse })),
  );
  const clocks = Clocks(
    (seat) => seats.clock(seat),
    on.now,
    (...own) => ownClock?.show(...own),
  );
  const ending = LazyPart(isNearEnd, loadEnding);
  const pendingChoice = LazyPart(
    ({ view: { options } }) => options.black_magic || options.scoundrels,
    loadPendingChoice,
  );
  const loadSeating = loadOnce(() =>
    loadNeeded(
      () => withWholeCatalogue(Promise.all([import("./seating.js"), loadStylesheet("seating")])),
      on.refuseUnreachable,
    ).then(([{ Seating }]) => Seating(box.seating, on)),
  );
  let isSeatingLoaded = false;
  let colours = "";

  /** @param {TableState} state */
  function showPhase({ table, view }) {
    const isBefore = !view;
    // Wait for the seating: the log alone would be shown first and then move.
    if (isBefore && !isSeatingLoaded) return;
    box.reserved.remove();
    root.dataset.phase = isBefore ? "before" : table.status;
    box.seating.hidden = !isBefore;
    for (const part of [box.seats, box.map, box.supply, box.bench]) part.hidden = isBefore;
  }

  /**
   * Draw the seating. It is loaded only before a game, which keeps the page of a running game light.
   * @param {TableState} state
   */
  async function drawSeating({ view }) {
    if (view) return;
    const { update } = await loadSeating();
    const state = /** @type {TableState} */ (store.state);
    update(state);
    isSeatingLoaded = true;
    showPhase(state);
  }

  /**
   * LazyPart(isWanted(state), load()) -> {update(state, before, cause), part()}: a part that is loaded once `isWanted`.
   * @param {(state: GameState) => boolean} isWanted
   * @param {() => Promise<LatePart>} load
   */
  function LazyPart(isWanted, load) {
    /** @type {LatePart | null} */
    let part = null;
    let isLoading = false;
    return {
      part: () => part,
      /**
       * @param {GameState} state
       * @param {State} _
       * @param {Cause} cause
       */
      update(state, _, { events }) {
        if (part) part.update(state, events);
        else if (isWanted(state) && !isLoading) {
          isLoading = true;
          load()
            .then((made) => {
              part = made;
              part.update(/** @type {GameState} */ (displayedState(store.state)));
              smallScreen.arrange(store.state);
            })
            .finally(() => (isLoading = false));
        }
      },
    };
  }

  /**
   * @param {State} state
   * @param {State} before
   */
  async function showBubbles(state, before) {
    if (!state.chatLines.length) return;
    (await loadBubbles()).update(state, before);
  }

  async function loadEnding() {
    const [{ Ending }, { Rematch }] = await loadNeeded(
      () =>
        withWholeCatalogue(
          Promise.all([import("./ending.js"), import("./rematch.js"), loadStylesheet("ending")]),
        ),
      on.refuseUnreachable,
    );
    return Ending(box.ending, {
      rematch: Rematch({ requestRematch: () => on.send({ do: "rematch" }), refuse: on.refuse }),
    });
  }

  async function loadPendingChoice() {
    const [{ PendingChoice }] = await loadNeeded(
      () =>
        withWholeCatalogue(Promise.all([import("./pending_choice.js"), loadStylesheet("pending_choice")])),
      on.refuseUnreachable,
    );
    return PendingChoice(box.owed, { onAnswer: on.act });
  }

  /** @param {GameState} state */
  async function loadOwnClock({ clock }) {
    if (clock && !ownClock) ownClock = await makeOwnClock();
  }

  /**
   * Draw the board. A past position stays on screen while the game goes on.
   * @param {GameState} state
   * @param {State} before
   * @param {Cause} cause
   */
  function drawBoard({ table, view, past }, before, { events = [] }) {
    const now = JSON.stringify(table.seats.map(({ colour }) => colour));
    if (now !== colours) board.setSeats(table.seats);
    colours = now;
    if (past === before.past && (past || view === before.view)) return;
    board
      .set((past ?? { view }).view, events)
      .then(() => !past && view.winner !== null && ending.part()?.show?.());
  }

  /**
   * @param {State} state
   * @param {State} before
   */
  function markBoard(state, before) {
    // While the player picks a candidate, the highlights stay.
    if (state.candidates?.length && !state.hint && state.trace === before.trace && !state.past) return;
    const { traces = [], recap = [], ...marks } = marksOf(state);
    /** @param {Trace[]} moves */
    const coloured = (moves) =>
      moves.map((move) => ({ ...move, look: lookOf(state.table?.seats, move.seat) }));
    board.mark({ ...marks, traces: coloured(traces), recap: coloured(recap) });
  }

  /**
   * @param {State} state
   * @param {State} before
   */
  function scrollToLit(state, before) {
    /** @param {State} shown */
    const selectionKey = (shown) => JSON.stringify([hasChoices(shown), shown.selection]);
    if (hasChoices(state) && selectionKey(state) !== selectionKey(before)) smallScreen.scrollToLit();
  }

  /**
   * @param {State} state
   * @param {State} before
   * @param {Cause} cause
   */
  async function animateCards({ you, past }, before, { events = [] }) {
    if (!events.length || (past && past === before.past)) return;
    const { flyCards } = await import("./flying_cards.js");
    flyCards(events, { seat: you.seat, hand, seats, supply });
  }

  /** @param {State} state */
  function updateDataset(state) {
    root.dataset.seq = String(state.seq);
    root.dataset.mine = String(hasChoices(state));
  }

  /**
   * @param {(keyof State)[]} fields
   * @param {(state: TableState, before: State, cause: Cause) => unknown} draw
   */
  const atTable = (fields, draw) =>
    store.subscribe(
      fields,
      (state, ...more) => state.table && draw(/** @type {TableState} */ (displayedState(state)), ...more),
    );
  /**
   * @param {(keyof State)[]} fields
   * @param {(state: GameState, before: State, cause: Cause) => unknown} draw
   */
  const inGame = (fields, draw) =>
    store.subscribe(
      fields,
      (state, ...more) => state.view && draw(/** @type {GameState} */ (displayedState(state)), ...more),
    );
  /** @type {(keyof State)[]} */
  const CHOICES = ["choices", "isWaiting"];
  /**
   * Wrap a draw function so that it shows the same past position as the map.
   * @param {(state: GameState) => void} draw
   * @returns {(state: GameState) => void}
   */
  const atShownMoment = (draw) => (state) => draw(state.past ? { ...state, view: state.past.view } : state);

  // The fields that each part is drawn from. They are listed by hand, because a part may read some fields only in some
  // states, and because bubbles and flying cards show one change and must not be redrawn when another field changes.
  // tests/js/test_subscriptions.py finds missing fields.
  banners.update(store.state);
  atTable(["table", "view"], showPhase);
  store.subscribe(
    ["connection", "isAdmitted", "refusal", "isSoundOffered", "table", "you", "presence"],
    banners.update,
  );
  atTable(["log", "chatLines", "table", "you", "chatPresets"], logAndChat.update);
  atTable(["table", "view", "you", "pace", ...CHOICES], menu.update);
  atTable(["table", "view", "past", "you", "presence", ...CHOICES], (state) =>
    status.update(state.past ? { ...state, view: state.past.view, choices: [] } : state),
  );
  atTable(["table", "view", "you", "presence"], drawSeating);
  inGame(
    ["table", "view", "past", "you", "presence", "selection", "plateRatings", ...CHOICES],
    atShownMoment(seats.update),
  );
  inGame(["view", "past"], atShownMoment(supply.update));
  // Cards to be chosen now are shown even while the board shows the past.
  inGame(["view", "past", "you", "selection", ...CHOICES], (state) =>
    (state.view.pending ? hand.update : atShownMoment(hand.update))(state),
  );
  inGame(["table", "view", "you", ...CHOICES], pendingChoice.update);
  inGame(
    ["table", "view", "you", "undo", "connection", "selection", "candidates", "hint", "hintWhy", ...CHOICES],
    tray.update,
  );
  inGame(["table", "view", "you", "password"], ending.update);
  // Before the clocks: it compares with the time that was left.
  inGame(["seq", "view", "you"], (...change) => ownClock?.update(...change));
  inGame(["clock", "view"], loadOwnClock);
  inGame(["clock", "view", "you"], clocks.update);
  inGame(["chatLines"], showBubbles);
  // The map comes last: it takes the remaining space.
  inGame(["table", "view", "presence", "selection", "candidates", ...CHOICES], smallScreen.arrange);
  inGame(["table", "view", "past"], drawBoard);
  inGame(["table", "view", "you", "log", "past", "pace", "isSkipping", ...CHOICES], historyTools.update);
  inGame(["view", "past"], animateCards);
  store.subscribe(
    ["view", "choices", "selection", "candidates", "hint", "trace", "recap", "past"],
    (state, before) => state.view && markBoard(state, before),
  );
  store.subscribe(["choices", "selection"], scrollToLit);
  atTable(["seq", "table", ...CHOICES], updateDataset);
  for (const part of [box.map, box.seats, box.status])
    part.addEventListener(
      "click",
      (/** @type {Event} */ event) =>
        !targetOf(event).closest("button, a, select, summary, .map-strip") && on.onSkip(),
    );

  FocusKeeper(root, store);

  return {
    showMissed: historyTools.showMissed,
    focusBoard: () => board.focus("start"),
    focusChoices: () => find(".choice", box.tray)?.focus({ preventScroll: true }),
    focusEnd: tray.focusEnd,
    focusHand: () => (find(".hand-card", box.hand) ?? box.hand).focus(),
    focusLog: () => find('[role="tab"][tabindex="0"]', box.talk)?.focus(),
  };
}
