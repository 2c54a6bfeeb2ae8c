// The big screen of a table, for a whole room. It connects as a spectator even if the device has a session
// (docs/protocol.md, hello), and follows the players to the next table.

/** @import {Frame, GameSocket, GameState, Cause, Replay, StatusDetail, TableState} from "../core/types.d.ts" */

/** @import {RefusedError} from "../core/api.js" */

import { withBusyButton } from "../core/create_once.js";
import { el, find } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { closeDoor, openDoor } from "../core/password_prompt.js";
import { describeRefusal } from "../core/refusals.js";
import { passwordHeader, storedPassword, storePassword } from "../core/room_password.js";
import { openScreenTable, screenPath } from "../core/screen_table.js";
import { connect } from "../core/socket.js";
import { toast } from "../core/toast.js";
import { applyFrame, emptyState } from "../table/store.js";
import { ScreenTools, stayAwake } from "./controls.js";
import { GameView } from "./game_view.js";
import { JoinCode } from "./join_code.js";
import { Playback } from "./playback.js";
import { Pregame } from "./pregame.js";

// How long the end stays before the screen follows to the next table.
const END_SHOWN_MS = 6000;
const RELOAD_AFTER_MS = 3000;

const root = find("#screen");
const notice = el("p", { class: "screen-notice", role: "status", hidden: true });
const joinCode = JoinCode({ root });
const now = () => socket?.now() ?? Date.now();
const pregame = Pregame({ joinCode, now, onAnother: openAnotherTable });
const gameView = GameView({ joinCode, now, past: fetchPast });
const tools = ScreenTools();
const playback = Playback(show);
/** @type {GameSocket | null} */
let socket = null;
let state = emptyState();
// The state on screen. Playback may lag behind `state`.
/** @type {TableState | null} */
let shownState = null;
let nextTableTimer = 0;

root.replaceChildren(pregame.element, gameView.element, notice, tools.element);
for (const part of [pregame, gameView]) part.element.hidden = true;
stayAwake();
watch(String(root.dataset.game));

/**
 * Fetch what spectators have seen of a game, without the session: a seat would see its hand. Null on failure.
 * @param {GameState} state
 * @returns {Promise<Replay | null>}
 */
async function fetchPast({ table, password }) {
  const answer = await fetch(`/g/${encodeURIComponent(table.id)}/seen`, {
    credentials: "omit",
    headers: { Accept: "application/json", ...passwordHeader(password) },
  }).catch(() => null);
  return answer?.ok ? answer.json().catch(() => null) : null;
}

/** @param {string} id */
function watch(id) {
  socket?.close();
  clearTimeout(nextTableTimer);
  nextTableTimer = 0;
  root.dataset.game = id;
  tools.setGame(id);
  state = { ...emptyState(), password: storedPassword(id) };
  const opened = connect(`/ws/game/${encodeURIComponent(id)}`, {
    hello() {
      const { seq, chat, password } = state;
      return {
        watch: true,
        ...(seq === null ? {} : { seq }),
        ...(chat === null ? {} : { chat }),
        ...(password ? { password } : {}),
      };
    },
    /** @param {Frame} frame */
    onFrame: (frame) => opened === socket && onFrame(frame),
    /**
     * @param {string} status
     * @param {StatusDetail} detail
     */
    onStatus: (status, detail) => opened === socket && onStatus(status, detail),
  });
  socket = opened;
}

// -- messages from the server --------------------------------------------------------------------

/** @param {Frame} frame */
function onFrame(frame) {
  const { change, cause } = applyFrame(state, frame);
  if (cause.resync) {
    socket?.resync();
    return;
  }
  state = { ...state, ...change };
  if (!state.table) return;
  if (cause.events || cause.reset || cause.kind) playback.add(/** @type {TableState} */ (state), cause);
  else if (frame.t === "presence" && shownState?.view)
    gameView.updatePresence(/** @type {GameState} */ (withCurrentPresence(shownState)));
  gameView.updateClocks(state);
  if (state.table.next && !nextTableTimer)
    nextTableTimer = setTimeout(followRematch, END_SHOWN_MS, state.table.next);
}

/**
 * Follow to the rematch without loading a page, which would end full screen.
 * @param {string} next
 */
function followRematch(next) {
  if (state.password) storePassword(next, state.password);
  history.replaceState(null, "", screenPath(next));
  watch(next);
}

/**
 * Return the shown state with the current presence.
 * @param {TableState} shown
 */
const withCurrentPresence = (shown) =>
  shown.table.id === state.table?.id ? { ...shown, presence: state.presence } : shown;

/**
 * @param {TableState} shown
 * @param {Cause} cause
 */
function show(shown, cause) {
  const { table, view } = shown;
  shownState = shown;
  root.dataset.phase = view ? table.status : "before";
  root.dataset.seq = String(shown.seq);
  pregame.element.hidden = Boolean(view);
  gameView.element.hidden = !view;
  joinCode.update(table);
  if (view) return gameView.show(/** @type {GameState} */ (withCurrentPresence(shown)), cause);
  pregame.update(shown);
  return Promise.resolve();
}

// -- the connection ------------------------------------------------------------------------------

/** @param {string} words */
const showNotice = (words) => {
  notice.textContent = words;
  notice.hidden = !words;
};

/**
 * @param {string} status
 * @param {StatusDetail} detail
 */
function onStatus(status, detail) {
  if (status === "not_admitted") {
    describeRefusal({ ...detail, code: String(detail.code) })
      .then((sentence) => openDoor(sentence, detail))
      .then((password) => {
        storePassword(String(root.dataset.game), password);
        state.password = password;
        socket?.reopen();
      });
    return;
  }
  if (status === "open" || status === "stored") {
    closeDoor();
    showNotice("");
  } else if (status === "signed_out")
    // Spectators need no session.
    socket?.reopen();
  else if (status === "reload") {
    showNotice(t("There is a new version of the game."));
    setTimeout(() => location.reload(), RELOAD_AFTER_MS);
  } else if (status === "stopped") showNotice(t("The table has closed this connection."));
  else showNotice(t("No connection to the server. Trying again; nothing is lost."));
}

/** @param {HTMLButtonElement} button */
async function openAnotherTable(button) {
  try {
    await withBusyButton(button, async () => location.assign(screenPath(await openScreenTable())));
  } catch (problem) {
    const { status, message } = /** @type {RefusedError} */ (problem);
    // Not a refusal but a bug in this page.
    if (status === undefined) throw problem;
    toast(message, "refused");
  }
}
