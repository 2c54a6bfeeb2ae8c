// The table page: joins the socket, the store and the parts, and does what the person asks for.

import { rare, t } from "../core/i18n.js";
import { placeAt } from "../core/names.js";
import { randomHex } from "../core/random.js";
import { keepPassword, keptPassword } from "../core/room_password.js";
import { connect } from "../core/socket.js";
import { sayKept } from "../core/toast.js";
import { announce, announceChanges } from "./announce.js";
import { connectionAfter } from "./connection.js";
import { Log } from "./log.js";
import { Pace } from "./pace.js";
import { parts } from "./parts.js";
import { pref, setPref } from "./preferences.js";
import { ComingBack, Recap } from "./look_back.js";
import { clickCard, clickPlace, clickSeat } from "./selection.js";
import { offerSound, withSound } from "./senses.js";
import { shortcuts } from "./shortcuts.js";
import { emptyState, isRetried, received, Store } from "./store.js";

const RESUMED_FOR = 2500; // milliseconds that "Back again." is shown
const REFUSAL_FOR = 6000;
const HERE_EVERY = 10000;

const root = document.getElementById("table");
const isTrial = location.pathname.endsWith("/try"); // from a turn of a finished game: no room, no socket
const join = isTrial ? (await import("./trial.js")).trial : connect;
const game = root.dataset.game;
// beside a big screen: large cards, small map
if (/[?&]hand=1/.test(location.search) || pref("hands").includes(game))
  rare(import("./hand_layout.js")).then(({ handLayout }) => handLayout(game));
const store = Store({ ...emptyState(), password: keptPassword(game) });
const log = Log(isTrial ? `trial.${game}` : game);
const automatic = new Set(); // ids of commands that nobody pressed: their refusals are shown to nobody
let refusalTimer = 0;
let autoSeal = null;

/** What is needed to get in is loaded by those who are not in yet; what seals a seat, before the start. */
const joining = () => rare(import("./joining.js"));
const sealing = () => import("../core/sealing.js");
const door = () => rare(import("../core/password_door.js"));
const refusals = () => rare(import("../core/refusals.js"));

const socket = join(`/ws/game/${encodeURIComponent(game)}`, {
  hello() {
    const { seq, chat, password } = store.state;
    return { ...(seq === null ? {} : { seq }), ...(chat === null ? {} : { chat }), ...(password ? { password } : {}) };
  },
  onFrame,
  onStatus,
});

const ui = parts(root, store, {
  send,
  act,
  undo,
  sit,
  refuse,
  game,
  towards: (person, name) =>
    rare(import("./towards.js")).then(({ openTowards }) =>
      openTowards({ game, person, name, isMuted: store.state.you.muted.includes(person), onMute: mute }),
    ),
  giveUp: () => sealing().then(({ givenUp }) => send(givenUp(game, store.state.table))),
  now: socket.now,
  onCard: (card) => choose(clickCard(store.state.choices, store.state.selection, card)),
  onPlace,
  onSeat: (seat) => choose(clickSeat(store.state.choices, store.state.selection, seat)),
  onDrop,
  onClear: () => choose({ selection: {} }),
  onTrace: (trace) => store.set({ trace }),
  onPace: (name) => pace.choose(name),
  onSkip: () => (store.state.past?.isStory ? store.set({ past: null }) : pace.skip()),
  onSound: answerOffer,
  onChat: (line) => send({ do: "chat", ...line }),
  onMute: mute,
  onResign: () => act({ type: "resign" }),
  onLeave: leaveBots,
  onHint: () => send({ do: "hint", version: store.state.seq }),
  onDevice: () =>
    joining()
      .then(({ deviceCode }) => deviceCode(game))
      .catch((problem) => refuse(problem.message)),
});
const pace = Pace(store, sendByItself);
Recap(root, store, log.movesSince);
ComingBack(store, game, ui.tell);
announceChanges(store);
let isAsked = false;
store.subscribe(["table", "you"], ({ table, you }) => {
  if (isAsked || you.seat === null || !(table?.deal || table?.clock?.kind === "days")) return;
  isAsked = true;
  if (table.deal) return void rare(import("./deal.js")).then(({ dealNote }) => dealNote({ game, root, table }));
  rare(import("./tell_me.js")).then(({ tellMe }) => tellMe({ game, root, refuse }));
});
offerSound(store);
sayKept();
store.subscribe(["you"], showName);
store.subscribe(["table", "you"], sealByItself);
shortcuts({
  ui,
  undo: () => store.state.undo && undo(),
  clear: () => choose({ selection: {} }),
  canClear: () => store.state.selection.card !== undefined || store.state.selection.from !== undefined,
});

// -- what the server says ------------------------------------------------------------------------

function onFrame(frame) {
  const before = store.state;
  const { change, happened } = received(before, frame);
  if (happened.resync) {
    socket.resync();
    return;
  }
  const { refused } = happened;
  // at the door the refusal is what the door says
  if (refused && store.state.isAdmitted && !isRetried(frame) && !automatic.has(refused.id))
    refusals().then(({ fullRefusal }) => fullRefusal(refused)).then(refuse, () => refuse(refused.message));
  if (change.view && (frame.t === "state" || refused?.state)) fillLog(change);
  const told = change.table ? log.follow(change, before, happened) : {};
  if (frame.seq === change.seq) log.received(frame.seq);
  store.set({ ...change, log: told.log ?? null }, { ...happened, line: told.line });
}

/** Whoever comes late, or was away for long, is told what happened before: the same lines, each once. */
async function fillLog(state) {
  if (isTrial || log.isComplete(state)) return;
  if (await log.fill(state.password, () => store.state)) store.set({ log: log.lines(store.state) });
}

/** Where seats are sealed, this browser seals and opens by itself (docs/protocol.md §9). */
async function sealByItself({ table, you }) {
  if (table?.status !== "open" || table.scheme !== 2 || you.seat === null) return;
  const { AutoSeal } = await sealing();
  autoSeal ??= AutoSeal(game, sendByItself);
  autoSeal(store.state);
}

/** The header was written before somebody sat down under a name. */
function showName({ you }) {
  const shown = document.querySelector(".who-name");
  if (you.name && shown && shown.textContent !== you.name) shown.textContent = you.name;
}

function onStatus(status, detail) {
  if (status === "not_admitted") {
    store.set({ isAdmitted: false });
    Promise.all([door(), refusals()])
      .then(([{ isLocked, passwordDoor }, { refusal }]) =>
        passwordDoor(refusal(detail.code, detail.message), { asks: isLocked(detail) }),
      )
      .then(enter);
    return;
  }
  if (status === "open") {
    // whoever had tried too often waits in front of the door, and the socket tries again by itself
    if (!store.state.isAdmitted) door().then(({ closeDoor }) => closeDoor());
    store.set({ isAdmitted: true });
  }
  store.set({ connection: connectionAfter(store.state.connection, status) });
  if (store.state.connection === "resumed")
    setTimeout(() => store.state.connection === "resumed" && store.set({ connection: "open" }), RESUMED_FOR);
}

function enter(password) {
  keepPassword(game, password);
  store.set({ password, isAdmitted: true, connection: "open" });
  socket.reopen();
}

function refuse(text) {
  store.set({ refusal: { text } });
  clearTimeout(refusalTimer);
  refusalTimer = setTimeout(() => store.set({ refusal: null }), REFUSAL_FOR);
}

// -- what the person does ------------------------------------------------------------------------

function send(command) {
  return socket.send(command).catch(() => {}); // a refusal also comes as a frame, and is shown there
}

/** What nobody pressed: whatever becomes of it, it is shown to nobody. */
function sendByItself(command) {
  const id = randomHex();
  automatic.add(id);
  send({ ...command, id });
}

function act(action) {
  if (store.state.isWaiting) return; // one at a time: the list on screen is for the position before the answer
  store.set({ isWaiting: true, selection: {}, ask: null, past: null });
  send({ do: "act", version: store.state.seq, action }).finally(() => store.set({ isWaiting: false }));
}

function undo() {
  store.set({ past: null });
  send({ do: "undo", version: store.state.seq });
}

/** Hide what somebody writes, or show it again: then also what they wrote meanwhile. */
async function mute(person, on) {
  const isDone = await socket.send({ do: "mute", person, on }).then(
    () => true,
    () => false, // the refusal is shown where it comes as a frame
  );
  if (!isDone) return;
  const { you, lines } = store.state;
  const others = you.muted.filter((each) => each !== person);
  if (on) {
    store.set({ you: { ...you, muted: [...others, person] }, lines: lines.filter((line) => line.person !== person) });
  } else {
    store.set({ you: { ...you, muted: others }, chat: null, lines: [] });
    socket.resync();
  }
}

async function sit(seat, name) {
  try {
    if (await (await joining()).becomeSomebody(store.state.you, name)) socket.reconnect();
  } catch (problem) {
    refuse(problem.message);
    return;
  }
  const [{ sitting }, { isForOne }] = await Promise.all([sealing(), import("../core/sitting.js")]);
  const againstBots = isForOne(store.state.table);
  await send({ do: "sit", seat, ...sitting(game, store.state.table) });
  socket.resync(); // and let everybody see us there
  if (!againstBots) return;
  send({ do: "ready", ready: true });
  send({ do: "start" });
}

/** Away from bots for good: nobody is left alone by it, so nobody is asked twice. */
async function leaveBots() {
  const { table, you, seq } = store.state;
  if (table.seats[you.seat].bot) await send({ do: "return" });
  await send({ do: "act", version: seq, action: { type: "resign" } });
  location.assign("/");
}

function choose({ action, selection = {}, ask = null }) {
  if (action) {
    act(action);
    return;
  }
  store.set({ selection, ask, hint: null, past: null }); // whoever chooses is back in the present
  if (ask) ui.focusChoices();
}

function onPlace(place) {
  const { choices, selection, view, past } = store.state;
  // A story keeps nobody from acting.
  if (!choices.length || (past && !past.isStory)) return;
  choose(clickPlace(choices, selection, place));
  if (JSON.stringify(store.state.selection) === JSON.stringify(selection) && !store.state.ask)
    announce(t("Nothing can be done {at}.", { at: placeAt(view, place) }));
}

/** A card was dropped on something: a pirate, a landing place, a player's plate, or nothing. */
function onDrop(card, target) {
  const { choices } = store.state;
  const place = target?.closest("[data-place]")?.dataset.place;
  const plate = target?.closest(".plate");
  if (place !== undefined) choose(clickPlace(choices, { card }, /^\d+$/.test(place) ? Number(place) : place));
  else if (plate) choose(clickSeat(choices, { card }, Number(plate.dataset.key)));
  else choose({ selection: {} });
}

/** Sound was offered. */
function answerOffer(isWanted) {
  setPref("sound", isWanted);
  store.set({ isSoundOffered: false });
  withSound(({ sound }) => sound("turn"));
}

let lastHere = 0;
for (const event of ["pointerdown", "keydown", "wheel"]) {
  addEventListener(
    event,
    () => {
      if (Date.now() - lastHere < HERE_EVERY || store.state.you.seat === null) return;
      lastHere = Date.now();
      socket.tell({ do: "here" });
    },
    { passive: true },
  );
}
