// The big screen of a table: what a spectator sees, drawn for a whole room. It joins to watch only, whoever is signed in
// on the device (docs/protocol.md, hello), and follows the company to the next table.

import { emptyState, received } from "../table/store.js";
import { pressed } from "../core/creating.js";
import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { closeDoor, isLocked, passwordDoor } from "../core/password_door.js";
import { refusal } from "../core/refusals.js";
import { keepPassword, keptPassword } from "../core/room_password.js";
import { openForRoom, screenPage } from "../core/room_table.js";
import { connect } from "../core/socket.js";
import { toast } from "../core/toast.js";
import { stayAwake, Tools } from "./awake.js";
import { GameView } from "./game.js";
import { Gathering } from "./gathering.js";
import { Playback } from "./playback.js";
import { Scan } from "./scan.js";

const LAST_LOOK = 6000; // milliseconds that the end stays when the next table is there
const RELOAD_AFTER = 3000; // nobody is there to press a button

const root = document.getElementById("screen");
const notice = el("p", { class: "screen-notice", role: "status", hidden: true });
const scan = Scan({ root });
const now = () => socket?.now() ?? Date.now();
const gathering = Gathering({ scan, now, onAnother: another });
const game = GameView({ scan, now });
const tools = Tools();
const playback = Playback(show);
let socket = null;
let state = emptyState();
let onShow = null; // the state that is drawn: playback may be behind what is known
let leaving = 0; // the timer that leads to the next table

root.replaceChildren(gathering.element, game.element, notice, tools.element);
for (const part of [gathering, game]) part.element.hidden = true;
stayAwake();
watch(root.dataset.game);

function watch(id) {
  socket?.close();
  clearTimeout(leaving);
  leaving = 0;
  root.dataset.game = id;
  tools.follow(id);
  state = { ...emptyState(), password: keptPassword(id) };
  const mine = connect(`/ws/game/${encodeURIComponent(id)}`, {
    hello() {
      const { seq, chat, password } = state;
      return { watch: true, ...(seq === null ? {} : { seq }), ...(chat === null ? {} : { chat }), ...(password ? { password } : {}) };
    },
    onFrame: (frame) => mine === socket && take(frame),
    onStatus: (status, detail) => mine === socket && follow(status, detail),
  });
  socket = mine;
}

// -- what the server says ------------------------------------------------------------------------

function take(frame) {
  const { change, happened } = received(state, frame);
  if (happened.resync) {
    socket.resync();
    return;
  }
  state = { ...state, ...change };
  if (!state.table) return;
  if (happened.events || happened.reset || happened.kind) playback.add(state, happened);
  else if (frame.t === "presence" && onShow?.view) game.present(asOfNow(onShow));
  game.live(state);
  if (state.table.next && !leaving) leaving = setTimeout(goOn, LAST_LOOK, state.table.next);
}

/** To the rematch, in this page: a screen that fills the television goes on filling it. */
function goOn(next) {
  if (state.password) keepPassword(next, state.password);
  history.replaceState(null, "", screenPage(next));
  watch(next);
}

/** Who is here is told as of now, however far behind the picture is. */
const asOfNow = (shown) => (shown.table.id === state.table?.id ? { ...shown, presence: state.presence } : shown);

function show(shown, happened) {
  const { table, view } = shown;
  onShow = shown;
  root.dataset.phase = view ? table.status : "before";
  root.dataset.seq = String(shown.seq);
  gathering.element.hidden = Boolean(view);
  game.element.hidden = !view;
  scan.update(table);
  if (view) return game.show(asOfNow(shown), happened);
  gathering.update(shown);
  return Promise.resolve();
}

// -- the connection ------------------------------------------------------------------------------

const say = (words) => {
  notice.textContent = words;
  notice.hidden = !words;
};

function follow(status, detail) {
  if (status === "not_admitted") {
    passwordDoor(refusal(detail.code, detail.message), { asks: isLocked(detail) }).then((password) => {
      keepPassword(root.dataset.game, password);
      state.password = password;
      socket.reopen();
    });
    return;
  }
  if (status === "open" || status === "stored") {
    closeDoor();
    say("");
  } else if (status === "signed_out") socket.reopen(); // it never was anybody
  else if (status === "reload") {
    say(t("There is a new version of the game."));
    setTimeout(() => location.reload(), RELOAD_AFTER);
  } else if (status === "stopped") say(t("The table has closed this connection."));
  else say(t("No connection to the server. Trying again; nothing is lost."));
}

async function another(button) {
  try {
    await pressed(button, async () => location.assign(screenPage(await openForRoom())));
  } catch (problem) {
    if (problem.status === undefined) throw problem; // no refusal, but a fault of this page
    toast(problem.message, "refused");
  }
}
