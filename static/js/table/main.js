// The table page: connects the socket, the store and the parts, and handles the player's input.

/** @import {Action, Card, Click, Command, Frame, GameState, LogLine, ClickResult, Place, Selection, State, StatusDetail, Table, TableState, Trace} from "../core/types.d.ts" */

import { isCorrespondence } from "../core/clock_kinds.js";
import { find } from "../core/dom.js";
import { withWholeCatalogue } from "../core/i18n.js";
import { randomHex } from "../core/random.js";
import { storedPassword, storePassword } from "../core/room_password.js";
import { connect } from "../core/socket.js";
import { showStoredToast } from "../core/toast.js";
import { announceChanges } from "./announce.js";
import { CatchUp, Recap } from "./catch_up.js";
import { nextConnectionState } from "./connection.js";
import { HelpLoader } from "./help_loader.js";
import { GameLog } from "./log.js";
import { Pace } from "./pace.js";
import { buildParts } from "./parts.js";
import { pref } from "./preferences.js";
import { choiceOfType, clickCard, clickHintedPlace, clickPlace, clickSeat, isInert } from "./selection.js";
import { installShortcuts } from "./shortcuts.js";
import { answerSoundOffer, offerSound } from "./sound_and_vibration.js";
import { applyFrame, emptyState, isRetried, Store } from "./store.js";

const RESUMED_SHOWN_MS = 2500;
const REFUSAL_SHOWN_MS = 6000;

const root = find("#table");
// A trial from a finished game and the analysis board have no room and no socket.
const isAnalysis = location.pathname.startsWith("/analysis");
const isTrial = isAnalysis || location.pathname.endsWith("/try");
const join = isAnalysis
  ? (await withWholeCatalogue(import("./analysis.js"))).connectAnalysis
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
const loadSeatCommands = () =>
  import("./seat_commands.js").then(({ SeatCommands }) =>
    SeatCommands({ game, store, socket, send, resign, refuse }),
  );
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

/**
 * Use what is being loaded; if it cannot be loaded, say so.
 * @template T
 * @param {Promise<T>} loading
 * @param {(loaded: T) => unknown} use
 */
const useLoaded = (loading, use) => void loading.then(use, refuseUnreachable);
const refuseUnreachable = () => help.refuseUnreachable();

/**
 * @param {string} person
 * @param {boolean} on
 */
const mute = (person, on) => useLoaded(loadSeatCommands(), (commands) => commands.mute(person, on));

const ui = buildParts(root, store, {
  send,
  currentSeats: () => tableNow().seats,
  act,
  undo,
  /**
   * @param {number} seat
   * @param {string} name
   */
  sit: (seat, name) =>
    useLoaded(Promise.all([loadSeatCommands(), loadIdentity()]), ([{ sit }, { ensurePlayer }]) =>
      sit(seat, (table) => ensurePlayer(table, store.state.you, name)),
    ),
  refuse,
  refuseUnreachable,
  game,
  /**
   * @param {string} person
   * @param {string} name
   */
  onPerson: (person, name) =>
    useLoaded(withWholeCatalogue(import("./player_dialog.js")), ({ openPlayerDialog }) =>
      openPlayerDialog({ game, person, name, isMuted: store.state.you.muted.includes(person), onMute: mute }),
    ),
  voidRound: () => useLoaded(loadSealing(), ({ voidCommand }) => send(voidCommand(game, tableNow()))),
  now: socket.now,
  /** @param {Card} card */
  onCard: (card) => click(clickCard(store.state.choices, store.state.selection, card), { card }),
  // Selects the card alone: with a selected pirate it would act, and the drop acts too.
  /** @param {Card} card */
  onLift: (card) => click(clickCard(store.state.choices, {}, card), { card }, {}),
  onPlace,
  /** @param {number} player */
  onSeat: (player) => click(clickSeat(store.state.choices, store.state.selection, player), { player }),
  onSupply,
  onDrop,
  onClear: () => choose({ selection: {} }),
  /** @param {Trace | null} trace */
  onTrace: (trace) => store.set({ trace }),
  /** @param {string} name */
  onPace: (name) => pace.choose(name),
  onSkip: () => (store.state.past?.isPlayback ? store.set({ past: null }) : pace.skip()),
  onSound: (isWanted) => answerSoundOffer(store, isWanted),
  onChat: (line) => send({ do: "chat", ...line }),
  onMute: mute,
  onResign: resign,
  onLeave: () => useLoaded(loadSeatCommands(), ({ leaveBots }) => leaveBots()),
  onHint() {
    choose({ selection: {} });
    send({ do: "hint", version: store.state.seq });
  },
  onDevice: () =>
    useLoaded(loadIdentity(), ({ showDeviceCode }) =>
      showDeviceCode(game).catch((problem) => refuse(problem.message)),
    ),
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
      showDealNote({ game, root, table, store, now: () => socket.now() }),
    );
  withWholeCatalogue(import("./notification_offer.js")).then(({ offerTurnNotices }) =>
    offerTurnNotices({ game, root, refuse }),
  );
});
let hasPlateRatings = false;
store.subscribe(["table"], ({ table }) => {
  if (hasPlateRatings || !table?.rated || table.status === "open") return;
  hasPlateRatings = true;
  useLoaded(withWholeCatalogue(import("./plate_ratings.js")), ({ loadPlateRatings }) =>
    loadPlateRatings(game, store),
  );
});
offerSound(store);
showStoredToast();
store.subscribe(["table", "you"], sealAutomatically);
const help = HelpLoader({ root, store, socket, ask, refuse });
installShortcuts({
  ui,
  undo: () => store.state.undo && undo(),
  clear: () => choose({ selection: {} }),
  canClear: () => store.state.selection.card !== undefined || store.state.selection.from !== undefined,
  explainFocused: help.explainFocused,
  refuseUnreachable: help.refuseUnreachable,
});

// -- messages from the server --------------------------------------------------------------------

/** @param {Frame} frame */
function onFrame(frame) {
  // The socket passes it to `ask`. It answers no action.
  if (frame.t === "why") return;
  const before = store.state;
  const { change, cause } = applyFrame(before, frame);
  if (cause.resync) {
    socket.resync();
    return;
  }
  const { refused } = cause;
  if (refused?.code === "account_required")
    useLoaded(withWholeCatalogue(import("../core/account_dialog.js")), ({ openAccountDialog }) =>
      openAccountDialog(),
    );
  // The password prompt shows the refusal of an admission itself.
  else if (refused && store.state.isAdmitted && !isRetried(frame) && !automaticIds.has(refused.id))
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
 * @param {string} status
 * @param {StatusDetail} detail
 */
function onStatus(status, detail) {
  if (status === "not_admitted") {
    store.set({ isAdmitted: false });
    Promise.all([loadPasswordPrompt(), loadRefusals()])
      .then(async ([{ openDoor }, { describeRefusal }]) =>
        openDoor(await describeRefusal({ ...detail, code: String(detail.code) }), detail),
      )
      .then(enter);
    return;
  }
  if (status === "open") {
    // The socket retries behind the prompt after too many attempts.
    if (!store.state.isAdmitted) loadPasswordPrompt().then(({ closeDoor }) => closeDoor());
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

/**
 * Send a command. Resolve to whether the server has accepted it.
 * @param {Command} command
 */
function send(command) {
  return socket.send(command).then(
    () => true,
    // onFrame shows the refusal.
    () => false,
  );
}

/**
 * Ask the server why a click does nothing. A refusal of the question is not shown by itself.
 * @param {Click} clicked
 */
function ask(clicked) {
  const id = randomHex();
  automaticIds.add(id);
  return socket.send({ do: "why", id, ...clicked });
}

/**
 * Send a command that the player did not trigger. Its refusal is not shown; return its code, or null.
 * @param {Command} command
 */
function sendAutomatically(command) {
  const id = randomHex();
  automaticIds.add(id);
  return socket.send({ ...command, id }).then(
    () => null,
    ({ code }) => String(code),
  );
}

/** @param {Action} action */
function act(action) {
  // One action at a time: the choices on screen belong to the position before the answer.
  if (!store.state.isWaiting) sendMove({ do: "act", version: store.state.seq, action });
}

function undo() {
  if (!store.state.isWaiting) sendMove({ do: "undo", version: store.state.seq });
}

/** @param {Command} command */
function sendMove(command) {
  store.set({ isWaiting: true, selection: {}, candidates: null, past: null });
  send(command).then(() => store.set({ isWaiting: false }));
}

/** Resign, also while an action is unanswered: the server does not compare the version. */
function resign() {
  return send({ do: "act", version: store.state.seq, action: { type: "resign" } });
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

/**
 * Follow a click on a card, a place or a plate. One that does nothing is explained.
 * @param {ClickResult} meant
 * @param {Click} clicked
 * @param {Selection} [selection]
 */
function click(meant, clicked, selection = store.state.selection) {
  if (!isInert(meant, selection, clicked) && !(meant.action && store.state.isWaiting)) {
    choose(meant);
    return;
  }
  if (selection.card !== undefined || selection.from !== undefined) choose({ selection: {} });
  const { card, from: pirate } = clicked.card === undefined ? selection : {};
  help.explain({ card, pirate, ...clicked });
}

/** @param {Place} place */
function onPlace(place) {
  const { past } = store.state;
  // A past position cannot be clicked; an automatic playback does not block actions.
  if (past && !past.isPlayback) help.explain({ place });
  else click(clickHintedPlace(store.state, place), { place });
}

/** Handle a click on the deck or the row. */
function onSupply() {
  const draw = choiceOfType(store.state.choices, "draw");
  // Drawing ends the turn, so it is offered and not done at once.
  if (draw) choose({ candidates: [draw] });
  else help.explain({ supply: true });
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
  const to = /** @type {Place} */ (/^\d+$/.test(String(place)) ? Number(place) : place);
  if (place !== undefined) click(clickPlace(choices, { card }, to), { place: to }, { card });
  else if (plate) {
    const player = Number(plate.dataset.key);
    click(clickSeat(choices, { card }, player), { player }, { card });
  } else choose({ selection: {} });
}
