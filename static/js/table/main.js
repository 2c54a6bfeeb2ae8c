// The table page: one room, its socket, and all its parts. State lives here; parts are given it and say what was pressed.

import { connect, randomId } from "../core/socket.js";
import { emptyRoom, receive } from "./room.js";
import { clickCard, clickPlace, clickSeat, offers, stillFits } from "./selection.js";
import { keepPassword, keptPassword } from "./preferences.js";
import { parts } from "./parts.js";
import { shortcuts } from "./shortcuts.js";
import { announce, showTurn } from "./announce.js";
import { flights } from "./flying_cards.js";
import { sound, soundOf } from "./sound.js";
import { Logbook } from "./log.js";
import { tell, tellTable } from "../core/event_text.js";
import { placeName, presetName, seatName } from "../core/names.js";
import { fullRefusal, refusal } from "../core/refusals.js";
import { t } from "../core/i18n.js";

const root = document.getElementById("table");
const game = root.dataset.game;
let room = emptyRoom();
let selection = {};
let ask = null; // several choices fit the last click: these
let password = keptPassword(game);
let admitted = true;
const logbook = Logbook(game);
let retold = false;
let wasMine = false;
let lookedAt = ""; // for which turn and selection the map was last brought into sight
let waitingForMe = false;
let connection = ""; // said once, however often the wire tries

/** What is needed to get in is loaded by those who are not in yet; what seals a seat, before the start. */
const joining = () => import("./joining.js");
const sealing = () => import("../core/sealing.js");
let tending = null;
const byItself = new Set(); // ids of commands that nobody pressed: their refusals are nobody's

const wire = connect(`/ws/game/${encodeURIComponent(game)}`, {
  hello: () => ({
    ...(room.seq === null ? {} : { seq: room.seq }),
    ...(room.chat === null ? {} : { chat: room.chat }),
    ...(password ? { password } : {}),
  }),
  onFrame: take,
  onStatus,
});

const ui = parts(root, {
  send,
  act,
  undo,
  sit,
  giveUp: () => sealing().then(({ givenUp }) => send(givenUp(game, room.table))),
  now: wire.now,
  onCard: (card) => choose(clickCard(room.choices, selection, card)),
  onPlace,
  onSeat: (seat) => choose(clickSeat(room.choices, selection, seat)),
  onDrop: drop,
  onClear: () => choose({ selection: {} }),
  onTrace: (traces) => mark(traces),
  onChat: (line) => send({ do: "chat", ...line }),
  onMute: mute,
  onResign: () => act({ type: "resign" }),
  onHint: () => send({ do: "hint", version: room.seq }),
  onDevice: () =>
    joining()
      .then(({ deviceCode }) => deviceCode(game))
      .catch((problem) => refuse(problem.message)),
});
shortcuts({
  ui,
  undo: () => room.undo && undo(),
  clear: () => choose({ selection: {} }),
  canClear: () => selection.card !== undefined || selection.from !== undefined,
});
ui.banners.connection("connecting");

// -- what the server says ------------------------------------------------------------------------

function take(frame) {
  const before = room;
  const { room: next, ...happened } = receive(room, frame);
  room = next;
  if (happened.resync) return wire.resync();
  const isKept = frame.t === "refused" && frame.code === "try_again"; // the wire sends it again by itself
  if (frame.ack || (frame.t === "refused" && !isKept)) waitingForMe = false;
  if (happened.refused && !isKept && !byItself.has(happened.refused.id)) fullRefusal(happened.refused).then(refuse);
  if (happened.line) ui.talk.line(happened.line, room.table?.seats);
  if (room.view && (frame.t === "state" || happened.refused?.state)) lookBack();
  if (happened.events?.length) happen(happened);
  if (happened.kind && room.table) {
    if (!retold) retell();
    happenedAtTable(happened, before);
  }
  if (frame.seq !== undefined && room.seq === frame.seq) logbook.heard(frame.seq);
  if (frame.t === "hint") showHint(frame.action);
  if (frame.t === "welcome" && frame.you.name) showName(frame.you.name);
  if (!room.table) return undefined;
  if (room.table.status === "open" && room.table.scheme === 2 && room.you.seat !== null) tend();
  if (!retold) retell();
  if (happened.events || happened.reset || happened.kind) {
    selection = stillFits(room.choices, selection);
    ask = null;
  }
  show(happened.events ?? []);
  return undefined;
}

/** Where seats are sealed, this browser seals and opens by itself (docs/protocol.md §9). */
async function tend() {
  const { Tending } = await sealing();
  tending ??= Tending(game, (command) => {
    const id = randomId();
    byItself.add(id);
    send({ ...command, id });
  });
  tending(room);
}

/** The header was written before somebody sat down under a name. */
function showName(name) {
  const shown = document.querySelector(".who-name");
  if (shown && shown.textContent !== name) shown.textContent = name;
}

/** After a reload the log begins where it was. */
function retell() {
  retold = true;
  for (const line of logbook.retell(room.view, room.table.seats)) ui.talk.log(line, room.table.seats);
}

/** Whoever comes late, or was away for long, is told what happened before: the same lines, each once. */
async function lookBack() {
  if (logbook.reaches(room.seq, room.you.seat)) return;
  if (!(await logbook.fill(password, () => ({ seq: room.seq, seat: room.you.seat })))) return;
  ui.talk.clearLog();
  retell();
}

function happen({ events, by, before }) {
  if (!retold) retell();
  logbook.add({ seq: room.seq, events, by });
  const told = tell(events, before, room.table.seats, by);
  ui.talk.log(told, room.table.seats);
  announce(told.text);
  soundOf(events);
}

function happenedAtTable({ kind, seat }, before) {
  const text = tellTable(
    kind,
    seat,
    room.table.seats.some((each) => each.name) ? room.table.seats : before.table?.seats,
  );
  if (kind === "started") {
    logbook.begin(room.seq, room.you.seat);
    ui.talk.clearLog();
  }
  if (!text) return;
  logbook.add({ seq: room.seq, kind, seat });
  ui.talk.log({ text, seat: seat ?? null }, room.table.seats);
  announce(text);
}

function onStatus(status, detail) {
  const wasAway = connection === "lost" || connection === "restarting";
  if (status === "open") ui.banners.connection(wasAway ? "resumed" : null);
  else if (status === "stored") ui.banners.connection("resumed");
  else if (status === "not_admitted") {
    admitted = false;
    joining().then(({ admit }) =>
      admit(
        detail,
        (word) => {
          password = word;
          keepPassword(game, word);
          admitted = true;
          wire.reopen();
        },
        refusal(detail.code, detail.message),
      ),
    );
  } else if (admitted) ui.banners.connection(status);
  if (status === connection) return;
  connection = status;
  if (status === "lost") announce(t("The connection is lost. Trying again; nothing you did is lost."), true);
  if (status === "restarting") announce(t("The server is restarting. Your seat is kept."), true);
}

function refuse(sentence) {
  ui.banners.refused(sentence);
  announce(sentence, true);
  sound("refuse");
}

// -- what the person does ------------------------------------------------------------------------

function send(command) {
  return wire.send(command).catch(() => {}); // a refusal also comes as a frame, and is shown there
}

function act(action) {
  if (waitingForMe) return; // one at a time: the list on screen is for the position before the answer
  waitingForMe = true;
  selection = {};
  ask = null;
  show([]);
  wire
    .send({ do: "act", version: room.seq, action })
    .catch(() => {})
    .finally(() => {
      waitingForMe = false;
    });
}

function undo() {
  send({ do: "undo", version: room.seq });
}

/** Hide what somebody writes, or show it again: then also what they wrote meanwhile. */
async function mute(person, on) {
  const done = await wire.send({ do: "mute", person, on }).then(
    () => true,
    () => false, // the refusal is shown where it comes as a frame
  );
  if (!done) return;
  const others = room.you.muted.filter((each) => each !== person);
  room = { ...room, you: { ...room.you, muted: on ? [...others, person] : others } };
  if (on) ui.talk.muted(person);
  else {
    room = { ...room, chat: null, lines: [] };
    ui.talk.clearChat();
    wire.resync();
  }
  show([]);
}

async function sit(seat, name) {
  try {
    if (await (await joining()).becomeSomebody(room.you, name)) wire.reconnect();
  } catch (problem) {
    refuse(problem.message);
    return;
  }
  const { sitting } = await sealing();
  send({ do: "sit", seat, ...sitting(game, room.table) }).then(() => wire.resync()); // and let everybody see us there
}

function choose({ action, selection: chosen, ask: several }) {
  if (action) {
    act(action);
    return;
  }
  selection = chosen ?? {};
  ask = several ?? null;
  show([]);
  if (ask) ui.focusChoices();
}

function onPlace(place) {
  if (!room.choices.length) return;
  const before = JSON.stringify(selection);
  choose(clickPlace(room.choices, selection, place));
  if (JSON.stringify(selection) === before && !ask)
    announce(t("Nothing can be done at {place}.", { place: placeName(room.view, place) }));
}

/** A card was dropped on something: a pirate, a landing place, a player's plate, or nothing. */
function drop(card, target) {
  const place = target?.closest("[data-place]")?.dataset.place;
  const plate = target?.closest(".plate");
  if (place !== undefined) choose(clickPlace(room.choices, { card }, /^\d+$/.test(place) ? Number(place) : place));
  else if (plate) choose(clickSeat(room.choices, { card }, Number(plate.dataset.key)));
  else choose({ selection: {} });
}

// -- showing -------------------------------------------------------------------------------------

function mark(traces = null) {
  if (!room.view) return;
  if (traces) {
    ui.board.mark({ trace: traces[0] });
    return;
  }
  if (!room.choices.length) {
    ui.board.mark({});
    return;
  }
  const { sources, targets } = offers(room.choices, selection);
  ui.board.mark({
    selected: selection.from,
    sources: selection.from === undefined ? [...sources.keys()] : [],
    targets: [...targets].flatMap(([place, list]) =>
      list.map(({ action, draws }) => ({
        place,
        draws,
        cards: action.type === "parrot" ? [action.as] : action.card ? [action.card] : [],
      })),
    ),
  });
}

function showHint(action) {
  ui.board.mark({ selected: action.from, trace: undefined });
  const choice = room.choices.find((each) => JSON.stringify(each.action) === JSON.stringify(action));
  if (choice) {
    ask = [choice];
    show([]);
  }
}

function show(events) {
  const state = {
    ...room,
    choices: waitingForMe ? [] : room.choices,
    undo: room.undo && !waitingForMe,
    selection,
    ask,
  };
  ui.update(state, events);
  root.dataset.seq = String(room.seq);
  root.dataset.mine = String(state.choices.length > 0);
  if (events.length) flights(events, { seat: room.you.seat, hand: ui.hand, seats: ui.seats, supply: ui.supply });
  if (room.view && !ask?.length) mark();
  const isMine = room.choices.length > 0;
  showTurn(isMine, `${room.table.title || presetName(room.table.options.preset)} · Cartagena`);
  if (isMine && !wasMine) {
    sound("turn");
    announce(room.view.pending ? t("You must choose.") : t("It is your turn."), true);
  }
  const pointed = JSON.stringify([isMine, selection]);
  if (isMine && pointed !== lookedAt) ui.follow();
  lookedAt = pointed;
  wasMine = isMine;
  if (room.view?.winner !== null && room.view && events.some(({ type }) => type === "game_won"))
    announce(t("{name} has won!", { name: seatName(room.table.seats, room.view.winner) }), true);
}

// Somebody is there: told at most every ten seconds, while it matters.
let lastHere = 0;
for (const event of ["pointerdown", "keydown", "wheel"]) {
  addEventListener(
    event,
    () => {
      if (Date.now() - lastHere < 10000 || room.you.seat === null) return;
      lastHere = Date.now();
      wire.tell({ do: "here" });
    },
    { passive: true },
  );
}
