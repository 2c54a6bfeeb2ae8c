// The parts of the table page: builds the regions once, and says which fields of the store each part is drawn from.

import { Board } from "../board/board.js";
import { el, style, svg } from "../core/dom.js";
import { rare, t } from "../core/i18n.js";
import { lookOf } from "../core/names.js";
import { Banners } from "./banners.js";
import { Bubbles } from "./bubbles.js";
import { Clocks } from "./clock.js";
import { flyCards } from "./flying_cards.js";
import { Focus } from "./focus.js";
import { Hand } from "./hand.js";
import { LogAndChat } from "./log_and_chat.js";
import { LookBack } from "./look_back.js";
import { Menu } from "./menu.js";
import { Seats } from "./seats.js";
import { marksOf } from "./selection.js";
import { SmallScreen } from "./small_screen.js";
import { StatusBar } from "./status.js";
import { isMine, shown } from "./store.js";
import { Supply } from "./supply.js";
import { Tray } from "./tray.js";

const region = (tag, cls, label) => el(tag, { class: cls, ...(label ? { "aria-label": label } : {}) });

const liveRegion = (kind) =>
  el("div", {
    id: `live-${kind}`,
    class: "hidden",
    role: kind === "alert" ? "alert" : "status",
    "aria-live": kind === "alert" ? "assertive" : "polite",
    "aria-atomic": "false", // what is added is read, not all of it again
  });

/** Somebody has at most two pirates to bring home, or has given up, or the game is over. */
const isNearEnd = ({ table, view }) =>
  table.status !== "running" ||
  view.players.some(({ pirates, resigned }) => resigned || pirates.filter((place) => place !== "goal").length <= 2);

function regions(root) {
  const box = {
    banners: region("div", "banners"),
    flash: region("div", "flash"),
    status: region("header", "status"),
    seating: region("section", "seating", t("Before the start")),
    seats: region("section", "seats", t("Players")),
    map: region("section", "map", t("The board")),
    supply: region("section", "supply", t("The supply")),
    ending: region("section", "ending", t("The end")),
    owed: region("section", "owed", t("Your choice")),
    tray: el("section", { class: "tray", "aria-label": t("What you can do"), tabindex: "-1" }),
    hand: region("section", "hand", t("Your hand")),
    talk: region("section", "talk", t("Log and chat")),
  };
  for (const each of [box.ending, box.owed]) each.hidden = true;
  box.drawing = svg("svg");
  box.map.append(box.drawing);
  box.bench = el("div", { class: "bench" }, box.ending, box.owed, box.tray, box.hand);
  box.side = el("div", { class: "table-side" }, box.seats, box.supply, box.talk);
  box.reserved = root.querySelector(".reserved");
  root.replaceChildren(
    liveRegion("polite"),
    liveRegion("alert"),
    box.reserved,
    el("div", { class: "table-main" }, box.flash, box.banners, box.status, box.seating, box.map, box.bench),
    box.side,
  );
  return box;
}

/** parts(root, store, on): `on` holds what is called when something is pressed. Gives what keys lead to. */
export function parts(root, store, on) {
  const box = regions(root);
  const smallScreen = SmallScreen({ root, ...box });
  const board = Board(box.drawing, { onSpace: on.onPlace, fit: "box" });
  const status = StatusBar(box.status);
  const banners = Banners(box.banners, box.flash, { send: on.send, now: on.now, onReload: () => location.reload(), onSound: on.onSound });
  const seats = Seats(box.seats, { onSeat: on.onSeat, towards: on.towards });
  const supply = Supply(box.supply);
  const hand = Hand(box.hand, { onCard: on.onCard, onDrop: on.onDrop });
  const tray = Tray(box.tray, { onAction: on.act, onUndo: on.undo, onClear: on.onClear });
  const logAndChat = LogAndChat(box.talk, { onTrace: on.onTrace, onChat: on.onChat, onMute: on.onMute, towards: on.towards }, status.menu);
  const menu = Menu(status.menu, { send: on.send, onResign: on.onResign, onLeave: on.onLeave, onHint: on.onHint, onDevice: on.onDevice, onPace: on.onPace });
  const lookBack = LookBack(box.map, store, { game: root.dataset.game, now: on.now, onSkip: on.onSkip, onPace: on.onPace, onProblem: on.refuse });
  const bubbles = Bubbles(seats.element, on.now);
  const clocks = Clocks((seat) => seats.clock(seat), on.now);
  const ending = Later(isNearEnd, loadEnding);
  const owed = Later(({ view: { options } }) => options.black_magic || options.scoundrels, loadOwed);
  let seating = null;
  let isSeatingLoaded = false;
  let colours = "";

  function showPhase({ table, view }) {
    const isBefore = !view;
    if (isBefore && !isSeatingLoaded) return; // the log alone would be shown first, and then pushed away
    box.reserved.remove();
    root.dataset.phase = isBefore ? "before" : table.status;
    box.seating.hidden = !isBefore;
    for (const name of ["seats", "map", "supply", "bench"]) box[name].hidden = isBefore;
  }

  /** Needed only before a game, so loaded only then: a running game's page is lighter by it. */
  async function drawSeating({ view }) {
    if (view) return;
    seating ??= rare(Promise.all([import("./seating.js"), style("seating")])).then(([{ Seating }]) => Seating(box.seating, on));
    const { update } = await seating;
    update(store.state);
    isSeatingLoaded = true;
    showPhase(store.state);
  }

  /** A part that many games do without, loaded as soon as this one may need it: {update(state, before, happened), part()}. */
  function Later(isWanted, load) {
    let part = null;
    let loading = null;
    return {
      part: () => part,
      update(state, before, { events }) {
        if (part) part.update(state, events);
        else if (isWanted(state))
          loading ??= load().then((made) => {
            part = made;
            part.update(shown(store.state));
            smallScreen.arrange(store.state);
          });
      },
    };
  }

  async function loadEnding() {
    const [{ Ending }, { Rematch }] = await rare(Promise.all([import("./ending.js"), import("./rematch.js"), style("ending")]));
    return Ending(box.ending, { rematch: Rematch({ ask: () => on.send({ do: "rematch" }), refuse: on.refuse }) });
  }

  async function loadOwed() {
    const { Owed } = await rare(import("./owed.js"));
    return Owed(box.owed, { onAnswer: on.act });
  }

  /** An earlier position, while one is looked at, stays whatever happens meanwhile. */
  function drawBoard({ table, view, past }, before, { events = [] }) {
    const now = JSON.stringify(table.seats.map(({ colour }) => colour));
    if (now !== colours) board.seats(table.seats);
    colours = now;
    if (past === before.past && (past || view === before.view)) return;
    board.set((past ?? { view }).view, events).then(() => !past && view.winner !== null && ending.part()?.show());
  }

  function markBoard(state, before) {
    // several choices fit: what led to them stays lit
    if (state.ask?.length && !state.hint && state.trace === before.trace && !state.past) return;
    const { traces = [], recap = [], ...marks } = marksOf(state);
    const coloured = (moves) => moves.map((each) => ({ ...each, look: lookOf(state.table.seats, each.seat) }));
    board.mark({ ...marks, traces: coloured(traces), recap: coloured(recap) });
  }

  function follow(state, before) {
    const pointed = (each) => JSON.stringify([isMine(each), each.selection]);
    if (isMine(state) && pointed(state) !== pointed(before)) smallScreen.follow();
  }

  function animate({ you, past }, before, { events = [] }) {
    if (events.length && !(past && past === before.past)) flyCards(events, { seat: you.seat, hand, seats, supply });
  }

  function note(state) {
    root.dataset.seq = String(state.seq);
    root.dataset.mine = String(isMine(state));
  }

  const atTable = (fields, draw) => store.subscribe(fields, (state, ...more) => state.table && draw(shown(state), ...more));
  const inGame = (fields, draw) => store.subscribe(fields, (state, ...more) => state.view && draw(shown(state), ...more));
  const CHOICES = ["choices", "isWaiting"];
  /** Players and supply are of the moment that the map shows. */
  const then = (draw) => (state) => draw(state.past ? { ...state, view: state.past.view } : state);

  banners.update(store.state);
  atTable(["table", "view"], showPhase);
  store.subscribe(["connection", "isAdmitted", "refusal", "isSoundOffered", "table", "you", "presence"], banners.update);
  atTable(["log", "lines", "table", "you", "presets"], logAndChat.update);
  atTable(["table", "view", "you", "pace", ...CHOICES], menu.update);
  atTable(["table", "view", "you", "presence", ...CHOICES], status.update);
  atTable(["table", "view", "you", "presence"], drawSeating);
  inGame(["table", "view", "past", "you", "presence", "selection", ...CHOICES], then(seats.update));
  inGame(["view", "past"], then(supply.update));
  inGame(["view", "you", "selection", ...CHOICES], hand.update);
  inGame(["table", "view", "you", ...CHOICES], owed.update);
  inGame(["table", "view", "you", "undo", "selection", "ask", "hint", ...CHOICES], tray.update);
  inGame(["table", "view", "you", "password"], ending.update);
  inGame(["clock", "view"], clocks.update);
  inGame(["lines"], bubbles.update);
  // the map last: it takes the room that the others leave
  inGame(["table", "view", "presence", "selection", "ask", ...CHOICES], smallScreen.arrange);
  inGame(["table", "view", "past"], drawBoard);
  inGame(["table", "view", "you", "log", "past", "pace", "isSkipping", ...CHOICES], lookBack.update);
  inGame(["view", "past"], animate);
  store.subscribe(["view", "choices", "selection", "ask", "hint", "trace", "recap", "past"], (state, before) => state.view && markBoard(state, before));
  store.subscribe(["choices", "selection"], follow);
  atTable(["seq", "table", ...CHOICES], note);
  for (const part of [box.map, box.seats, box.status])
    part.addEventListener("click", (event) => !event.target.closest("button, a, select, summary, .map-strip") && on.onSkip());

  Focus(root, store);

  return {
    tell: lookBack.tell,
    focusBoard: () => board.focus("start"),
    focusChoices: () => box.tray.querySelector(".choice")?.focus({ preventScroll: true }),
    focusEnd: tray.focusEnd,
    focusHand: () => (box.hand.querySelector(".hand-card") ?? box.hand).focus(),
    focusLog: () => box.talk.querySelector('[role="tab"][tabindex="0"]')?.focus(),
  };
}
