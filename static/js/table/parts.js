// The parts of the table page put together: builds the regions once, hands each part what changed.

import { el, svg } from "../core/dom.js";
import { Banners } from "./banners.js";
import { Board } from "../board/board.js";
import { Clocks } from "./clock.js";
import { Ending } from "./ending.js";
import { Hand } from "./hand.js";
import { Menu } from "./menu.js";
import { Owed } from "./owed.js";
import { Seats } from "./seats.js";
import { Stage } from "./small_screen.js";
import { StatusBar } from "./status.js";
import { Supply } from "./supply.js";
import { Talk } from "./log_and_chat.js";
import { Tray } from "./tray.js";
import { offers } from "./selection.js";
import { t } from "../core/i18n.js";

const region = (tag, cls, label) => el(tag, { class: cls, ...(label ? { "aria-label": label } : {}) });

export function parts(root, on) {
  const box = {
    live: [
      ["polite", 0],
      ["polite", 1],
      ["alert", 0],
      ["alert", 1],
    ].map(([kind, n]) =>
      el("div", {
        id: `live-${kind}-${n}`,
        class: "hidden",
        role: kind === "alert" ? "alert" : "status",
        "aria-live": kind === "alert" ? "assertive" : "polite",
      }),
    ),
    banners: region("div", "banners"),
    flash: region("div", "flash"),
    status: region("header", "status"),
    seating: region("section", "seating", t("Before the start")),
    seats: region("section", "seats", t("Players")),
    map: region("section", "map", t("The board")),
    supply: region("section", "supply", t("The supply")),
    ending: region("section", "ending", t("The end")),
    owed: region("section", "owed", t("Your choice")),
    tray: region("section", "tray", t("What you can do")),
    hand: region("section", "hand", t("Your hand")),
    talk: region("section", "talk", t("Log and chat")),
  };
  box.owed.hidden = true;
  const drawing = svg("svg", {});
  box.map.append(drawing);
  const bench = el("div", { class: "bench" }, box.ending, box.owed, box.tray, box.hand);
  const main = el("div", { class: "table-main" }, box.flash, box.banners, box.status, box.seating, box.map, bench);
  const side = el("div", { class: "table-side" }, box.seats, box.supply, box.talk);
  root.replaceChildren(...box.live, main, side);
  root.classList.add("table");

  const stage = Stage({ root, map: box.map, bench, supply: box.supply, talk: box.talk, side });
  const board = Board(drawing, { onSpace: on.onPlace, fit: stage.fit });
  const status = StatusBar(box.status);
  const banners = Banners(box.banners, box.flash, { send: on.send, now: on.now, onReload: () => location.reload() });
  const seats = Seats(box.seats, { onSeat: on.onSeat });
  const supply = Supply(box.supply);
  const hand = Hand(box.hand, { onCard: on.onCard, onDrop: on.onDrop });
  const tray = Tray(box.tray, { onAction: on.act, onUndo: on.undo, onClear: on.onClear });
  const owed = Owed(box.owed, { onAnswer: on.act });
  const talk = Talk(box.talk, { onTrace: on.onTrace, onChat: on.onChat, onMute: on.onMute });
  const ending = Ending(box.ending, { onRematch: () => on.send({ do: "rematch" }) });
  const menu = Menu(status.menu, { send: on.send, onResign: on.onResign, onHint: on.onHint, onDevice: on.onDevice });
  const clocks = Clocks((seat) => seats.clock(seat), on.now);
  talk.start();
  hand.root = box.hand;
  let seating = null;
  let latest = null;
  let seatsShown = "";
  let viewShown = null;

  /** Needed only before a game, so loaded only then: a running game's page is lighter by it. */
  async function beforeTheStart(state) {
    latest = state;
    if (!seating) {
      seating = { update() {} };
      const { Seating } = await import("./seating.js");
      seating = Seating(box.seating, { send: on.send, sit: on.sit, giveUp: on.giveUp, now: on.now });
    }
    seating.update(latest);
  }

  function update(state, events) {
    const { table, view, you, choices, selection } = state;
    const before = !view;
    root.dataset.phase = before ? "before" : table.status;
    box.seating.hidden = !before;
    for (const name of ["seats", "map", "supply"]) box[name].hidden = before;
    bench.hidden = before;
    banners.update(state);
    talk.update(state);
    menu.update(state);
    status.update(state);
    if (before) {
      beforeTheStart(state);
      return;
    }
    const colours = JSON.stringify(table.seats.map(({ colour }) => colour));
    if (colours !== seatsShown) {
      seatsShown = colours;
      viewShown = null;
      board.seats(table.seats);
    }
    const offered = offers(choices, selection);
    const aims = new Set(
      offered.list.filter(({ action }) => action.type === "pistol").map(({ action }) => action.player),
    );
    seats.update(state, aims);
    supply.update(view);
    box.hand.hidden = you.seat === null || view.winner !== null;
    if (you.seat !== null)
      hand.update({
        hand: view.players[you.seat].hand,
        playable: new Set(offered.cards.keys()),
        selected: selection.card,
      });
    owed.update(state);
    tray.update(state);
    ending.update(state);
    clocks.update(state.clock, view.players.length);
    // the map last: it takes the room that the others leave
    stage.arrange(view);
    if (view !== viewShown) board.set(view, events);
    viewShown = view;
  }

  return {
    board,
    hand,
    seats,
    supply,
    talk,
    banners,
    tray,
    update,
    follow: stage.follow,
    focusChoices: () => box.tray.querySelector(".choice")?.focus({ preventScroll: true }),
    focusHand: () => (box.hand.querySelector(".hand-card") ?? box.hand).focus(),
    focusTalk: () => box.talk.querySelector('[role="tab"][tabindex="0"]')?.focus(),
  };
}
