// The table page: connects the socket, the store and the parts, and handles the player's input.

/** @import {Action, Card, Command, Frame, LogLine, ClickResult, Place, State, StatusDetail, Table, TableState, Trace, View} from "../core/types.d.ts" */

import { isCorrespondence } from "../core/clock_kinds.js";
import { find } from "../core/dom.js";
import { t, withWholeCatalogue } from "../core/i18n.js";
import { placeAt } from "../core/names.js";
import { randomHex } from "../core/random.js";
import { storedPassword, storePassword } from "../core/room_password.js";
import { connect } from "../core/socket.js";
import { showStoredToast } from "../core/toast.js";
import { announce, announceChanges } from "./announce.js";
import { CatchUp, Recap } from "./catch_up.js";
import { nextConnectionState } from "./connection.js";
import { GameLog } from "./log.js";
import { Pace } from "./pace.js";
import { buildParts } from "./parts.js";
import { pref, setPref } from "./preferences.js";
import { clickCard, clickPlace, clickSeat } from "./selection.js";
import { installShortcuts } from "./shortcuts.js";
import { offerSound, withSound } from "./sound_and_vibration.js";
import { applyFrame, emptyState, isRetried, Store } from "./store.js";

const RESUMED_SHOWN_MS = 2500;
const REFUSAL_SHOWN_MS = 6000;
const HERE_INTERVAL_MS = 10000;

const root = find("#table");
// A trial from a finished game and the analysis board have no room and no socket.
const isAnalysis = location.pathname.startsWith("/analysis");
const isTrial = isAnalysis || location.pathname.endsWith("/try");
const join = isAnalysis
  ? (await import("./analysis.js")).connectAnalysis
  : isTrial
    ? (await import("./trial.js")).connectTrial
    : connect;
const game = String(root.dataset.game);
// A phone beside a big screen.
if (/[?&]hand=1/.test(location.search) || pref("hands").includes(game))
  withWholeCatalogue(import("./hand_layout.js")).then(({ startHandLayout }) => startHandLayout(game));
const store = Store({ ...emptyState(), password: storedPassword(game) });
const log = GameLog(isTrial ? `trial.${game}` : game);
// Ids of commands that the player did not trigger: their refusals are not shown.
const automaticIds = new Set();
let refusalTimer = 0;
/** @type {((state: TableState) => void) | null} */
let autoSeal = null;

/** Return the table. Call it only after the first state frame. */
const tableNow = () => /** @type {Table} */ (store.state.table);

/** Modules that most visits do without. */
const loadIdentity = () => withWholeCatalogue(import("./identity.js"));
const loadSealing = () => import("../core/sealing.js");
const loadPasswordPrompt = () => withWholeCatalogue(import("../core/password_prompt.js"));
const loadRefusals = () => withWholeCatalogue(import("../core/refusals.js"));

const socket = join(`/ws/game/${encodeURIComponent(game)}`, {
  hello() {
    const { seq, chat, password } = store.state;
    return {
      ...(seq === null ? {} : { seq }),
      ...(chat === null ? {} : { chat }),
      ...(password ? { password } : {}),
    };
  },
  onFrame,
  onStatus,
});

const ui = buildParts(root, store, {
  send,
  act,
  undo,
  sit,
  refuse,
  game,
  /**
   * @param {string} person
   * @param {string} name
   */
  onPerson: (person, name) =>
    withWholeCatalogue(import("./player_dialog.js")).then(({ openPlayerDialog }) =>
      openPlayerDialog({ game, person, name, isMuted: store.state.you.muted.includes(person), onMute: mute }),
    ),
  voidRound: () => loadSealing().then(({ voidCommand }) => send(voidCommand(game, tableNow()))),
  now: socket.now,
  /** @param {Card} card */
  onCard: (card) => choose(clickCard(store.state.choices, store.state.selection, card)),
  onPlace,
  /** @param {number} seat */
  onSeat: (seat) => choose(clickSeat(store.state.choices, store.state.selection, seat)),
  onDrop,
  onClear: () => choose({ selection: {} }),
  /** @param {Trace | null} trace */
  onTrace: (trace) => store.set({ trace }),
  /** @param {string} name */
  onPace: (name) => pace.choose(name),
  onSkip: () => (store.state.past?.isPlayback ? store.set({ past: null }) : pace.skip()),
  onSound: answerSoundOffer,
  onChat: (line) => send({ do: "chat", ...line }),
  onMute: mute,
  onResign: () => act({ type: "resign" }),
  onLeave: leaveBots,
  onHint: () => send({ do: "hint", version: store.state.seq }),
  onDevice: () =>
    loadIdentity()
      .then(({ showDeviceCode }) => showDeviceCode(game))
      .catch((problem) => refuse(problem.message)),
});
const pace = Pace(store, sendAutomatically);
if (pref("firstGames").includes(game))
  import("./first_hints.js").then(({ FirstHints }) => FirstHints(store, sendAutomatically));
Recap(root, store, log.movesSince);
CatchUp(store, game, ui.showMissed);
announceChanges(store);
let isNoteShown = false;
store.subscribe(["table", "you"], ({ table, you }) => {
  if (isNoteShown || you.seat === null || !(table?.deal || isCorrespondence(table?.clock?.kind))) return;
  isNoteShown = true;
  if (table.deal)
    return void withWholeCatalogue(import("./deal_note.js")).then(({ showDealNote }) =>
      showDealNote({ game, root, table }),
    );
  withWholeCatalogue(import("./notification_offer.js")).then(({ offerTurnNotices }) =>
    offerTurnNotices({ game, root, refuse }),
  );
});
offerSound(store);
showStoredToast();
store.subscribe(["you"], showName);
store.subscribe(["table", "you"], sealAutomatically);
installShortcuts({
  ui,
  undo: () => store.state.undo && undo(),
  clear: () => choose({ selection: {} }),
  canClear: () => store.state.selection.card !== undefined || store.state.selection.from !== undefined,
});

// -- messages from the server --------------------------------------------------------------------

/** @param {Frame} frame */
function onFrame(frame) {
  const before = store.state;
  const { change, cause } = applyFrame(before, frame);
  if (cause.resync) {
    socket.resync();
    return;
  }
  const { refused } = cause;
  // The password prompt shows the refusal of an admission itself.
  if (refused && store.state.isAdmitted && !isRetried(frame) && !automaticIds.has(refused.id))
    loadRefusals()
      .then(({ describeRefusal }) => describeRefusal(refused))
      .then(refuse, () => refuse(refused.message));
  if (change.view && (frame.t === "state" || refused?.state)) fillLog(/** @type {State} */ (change));
  /** @type {{ log?: LogLine[], line?: LogLine }} */
  const logged = change.table ? log.addChange(/** @type {TableState} */ (change), before, cause) : {};
  if (frame.seq !== undefined && frame.seq === change.seq) log.markReceived(frame.seq);
  store.set({ ...change, log: logged.log ?? null }, { ...cause, line: logged.line });
}

/**
 * Fetch the log entries that this tab has missed.
 * @param {State} state
 */
async function fillLog(state) {
  if (isTrial || log.isComplete(state)) return;
  if (await log.fill(state.password, () => store.state))
    store.set({ log: log.lines({ ...store.state, table: tableNow() }) });
}

/**
 * Seal and open the player's seat without a click (docs/protocol.md §9).
 * @param {State} state
 */
async function sealAutomatically({ table, you }) {
  if (table?.status !== "open" || table.scheme !== 2 || you.seat === null) return;
  const { AutoSeal } = await loadSealing();
  autoSeal ??= AutoSeal(game, sendAutomatically);
  autoSeal(/** @type {TableState} */ (store.state));
}

/**
 * Update the name in the page header: it may predate the player's name.
 * @param {State} state
 */
function showName({ you }) {
  const shown = document.querySelector(".who-name");
  if (you.name && shown && shown.textContent !== you.name) shown.textContent = you.name;
}

/**
 * @param {string} status
 * @param {StatusDetail} detail
 */
function onStatus(status, detail) {
  if (status === "not_admitted") {
    store.set({ isAdmitted: false });
    Promise.all([loadPasswordPrompt(), loadRefusals()])
      .then(([{ isPasswordRefusal, openPasswordPrompt }, { describeRefusalCode }]) =>
        openPasswordPrompt(describeRefusalCode(String(detail.code), detail.message), {
          hasPasswordField: isPasswordRefusal(detail),
        }),
      )
      .then(enter);
    return;
  }
  if (status === "open") {
    // The socket retries behind the prompt after too many attempts.
    if (!store.state.isAdmitted)
      loadPasswordPrompt().then(({ closePasswordPrompt }) => closePasswordPrompt());
    store.set({ isAdmitted: true });
  }
  store.set({ connection: nextConnectionState(store.state.connection, status) });
  if (store.state.connection === "resumed")
    setTimeout(
      () => store.state.connection === "resumed" && store.set({ connection: "open" }),
      RESUMED_SHOWN_MS,
    );
}

/** @param {string} password */
function enter(password) {
  storePassword(game, password);
  store.set({ password, isAdmitted: true, connection: "open" });
  socket.reopen();
}

/** @param {string} text */
function refuse(text) {
  store.set({ refusal: { text } });
  clearTimeout(refusalTimer);
  refusalTimer = setTimeout(() => store.set({ refusal: null }), REFUSAL_SHOWN_MS);
}

// -- actions of the player -----------------------------------------------------------------------

/** @param {Command} command */
function send(command) {
  // onFrame shows the refusal.
  return socket.send(command).catch(() => {});
}

/**
 * Send a command that the player did not trigger. Its refusal is not shown.
 * @param {Command} command
 */
function sendAutomatically(command) {
  const id = randomHex();
  automaticIds.add(id);
  send({ ...command, id });
}

/** @param {Action} action */
function act(action) {
  // One action at a time: the choices on screen belong to the position before the answer.
  if (store.state.isWaiting) return;
  store.set({ isWaiting: true, selection: {}, candidates: null, past: null });
  send({ do: "act", version: store.state.seq, action }).finally(() => store.set({ isWaiting: false }));
}

function undo() {
  store.set({ past: null });
  send({ do: "undo", version: store.state.seq });
}

/**
 * Mute a person's chat lines, or unmute and fetch those that were hidden meanwhile.
 * @param {string} person
 * @param {boolean} on
 */
async function mute(person, on) {
  const isDone = await socket.send({ do: "mute", person, on }).then(
    () => true,
    // onFrame shows the refusal.
    () => false,
  );
  if (!isDone) return;
  const { you, chatLines } = store.state;
  const others = you.muted.filter((id) => id !== person);
  if (on) {
    store.set({
      you: { ...you, muted: [...others, person] },
      chatLines: chatLines.filter((line) => line.person !== person),
    });
  } else {
    store.set({ you: { ...you, muted: others }, chat: null, chatLines: [] });
    socket.resync();
  }
}

/**
 * @param {number} seat
 * @param {string} name
 */
async function sit(seat, name) {
  try {
    if (await (await loadIdentity()).ensureGuest(store.state.you, name)) socket.reconnect();
  } catch (problem) {
    refuse(/** @type {Error} */ (problem).message);
    return;
  }
  const [{ sitFields }, { isAgainstBotsOnly }] = await Promise.all([
    loadSealing(),
    import("../core/take_seat.js"),
  ]);
  const againstBots = isAgainstBotsOnly(tableNow());
  await send({ do: "sit", seat, ...sitFields(game, tableNow()) });
  // A new hello tells the room that this seat is connected.
  socket.resync();
  if (!againstBots) return;
  send({ do: "ready", ready: true });
  send({ do: "start" });
}

/** Leave a game against bots for good. No other person is affected, so no confirmation is needed. */
async function leaveBots() {
  const { table, you, seq } = /** @type {TableState} */ (store.state);
  if (table.seats[/** @type {number} */ (you.seat)].bot) await send({ do: "return" });
  await send({ do: "act", version: seq, action: { type: "resign" } });
  location.assign("/");
}

/** @param {ClickResult} meant */
function choose({ action, selection = {}, candidates = null }) {
  if (action) {
    act(action);
    return;
  }
  // Selecting something returns to the live board.
  store.set({ selection, candidates, hint: null, past: null });
  if (candidates) ui.focusChoices();
}

/** @param {Place} place */
function onPlace(place) {
  const { choices, selection, view, past } = store.state;
  // A past position cannot be clicked; an automatic playback does not block actions.
  if (!choices.length || (past && !past.isPlayback)) return;
  choose(clickPlace(choices, selection, place));
  if (JSON.stringify(store.state.selection) === JSON.stringify(selection) && !store.state.candidates)
    announce(t("There is nothing you can do {at}.", { at: placeAt(/** @type {View} */ (view), place) }));
}

/**
 * Handle a card dropped on a pirate, a landing place, a player's plate or nothing.
 * @param {Card} card
 * @param {Element | null} target
 */
function onDrop(card, target) {
  const { choices } = store.state;
  const place = /** @type {SVGElement | null | undefined} */ (target?.closest("[data-place]"))?.dataset.place;
  const plate = /** @type {HTMLElement | null | undefined} */ (target?.closest(".plate"));
  if (place !== undefined)
    choose(clickPlace(choices, { card }, /^\d+$/.test(place) ? Number(place) : /** @type {Place} */ (place)));
  else if (plate) choose(clickSeat(choices, { card }, Number(plate.dataset.key)));
  else choose({ selection: {} });
}

/**
 * Handle the answer to the sound offer.
 * @param {boolean} isWanted
 */
function answerSoundOffer(isWanted) {
  setPref("sound", isWanted);
  store.set({ isSoundOffered: false });
  withSound(({ playSound }) => playSound("turn"));
}

let hereSentAt = 0;
for (const event of ["pointerdown", "keydown", "wheel"]) {
  addEventListener(
    event,
    () => {
      if (Date.now() - hereSentAt < HERE_INTERVAL_MS || store.state.you.seat === null) return;
      hereSentAt = Date.now();
      socket.sendOneWay({ do: "here" });
    },
    { passive: true },
  );
}
