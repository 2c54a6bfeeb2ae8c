// The lobby: live lists of tables, and the buttons that lead into a game.

/** @import {LobbyList, LobbyMessage, LobbyRoom} from "../core/types.d.ts" */

import { openAccountDialog } from "../core/account_dialog.js";
import { post, RefusedError } from "../core/api.js";
import { confirmAction } from "../core/confirm_dialog.js";
import { createOnce, releaseButton, withBusyButton } from "../core/create_once.js";
import { el, find, setChildren } from "../core/dom.js";
import { formatRelativeTime, t, tn } from "../core/i18n.js";
import { keepFocus } from "../core/keep_focus.js";
import { keepSeat } from "../core/kept_seat.js";
import { createOrMakeRoom } from "../core/make_room.js";
import { personName, presetName } from "../core/names.js";
import { randomHex } from "../core/random.js";
import { LOBBY_HELLO, openReconnectingSocket } from "../core/reconnecting_socket.js";
import { describeRefusal } from "../core/refusals.js";
import { openScreenTable, screenPath } from "../core/screen_table.js";
import { startGame, takeSeat } from "../core/take_seat.js";
import { toast, toastOnNextPage } from "../core/toast.js";
import { showOwnTurns } from "../core/turn_notice.js";
import { countBotGame, isNewcomer } from "../table/first_games.js";
import { rememberLevel, restoreLevel } from "./bot_level.js";
import { ensureName, initNameForm } from "./player_name.js";
import { RatedWays } from "./rated_ways.js";
import { SeatDots, TableFacts } from "./table_facts.js";
import { leaveTable, WaitingOffer } from "./waiting_offer.js";

/** @typedef {Event & { currentTarget: HTMLButtonElement }} Press */

/** @type {LobbyList[]} */
const LISTS = ["mine", "open", "watch"];
/** @type {Record<LobbyList, Map<string, LobbyRoom>>} */
const rooms = { mine: new Map(), open: new Map(), watch: new Map() };
// Server time minus local time.
let clockOffset = 0;

/** @type {Record<LobbyList, (a: LobbyRoom, b: LobbyRoom) => number>} */
const comparators = {
  mine: (a, b) =>
    Number(Boolean(b.my_turn)) - Number(Boolean(a.my_turn)) || (a.due ?? Infinity) - (b.due ?? Infinity),
  open: (a, b) => (b.at ?? 0) - (a.at ?? 0),
  watch: (a, b) => (b.watching ?? 0) - (a.watching ?? 0) || (b.at ?? 0) - (a.at ?? 0),
};

/**
 * @param {LobbyList} list
 * @param {LobbyRoom} room
 */
function EnterButton(list, room) {
  const href = `/g/${encodeURIComponent(room.id)}`;
  const key = { "data-key": room.id };
  if (list === "watch") return el("a.button.button-small.button-quiet", { href, ...key }, t("Watch"));
  if (list === "mine") {
    const words = room.my_turn
      ? t("Your turn")
      : room.status === "open"
        ? t("Go to the table")
        : t("Continue");
    const link = el(
      room.my_turn ? "a.button.button-small.button-main" : "a.button.button-small",
      { href, ...key },
      words,
    );
    return isAgainstBots(room) ? el("span.table-ways", {}, link, LeaveButton(room)) : link;
  }
  return el(
    "button.button.button-small.button-main",
    { type: "button", onclick: (/** @type {Press} */ event) => join(room, event.currentTarget), ...key },
    t("Join"),
  );
}

/**
 * Whether the player is the only person in a running game.
 * @param {LobbyRoom} room
 */
const isAgainstBots = (room) => room.status === "running" && room.bots > 0 && room.taken - room.bots === 1;

/** @param {LobbyRoom} room */
function LeaveButton(room) {
  const label = t("Leave {table} for good", { table: room.title || presetName(room.preset) });
  /** @param {Press} event */
  const onclick = (event) => leave(room, event.currentTarget);
  return el(
    "button.button.button-small.button-quiet",
    { type: "button", "aria-label": label, title: label, onclick, "data-key": `leave ${room.id}` },
    t("Leave"),
  );
}

/**
 * @param {LobbyList} list
 * @param {LobbyRoom} room
 */
function TableRow(list, room) {
  const names = (room.names ?? []).map(personName);
  const due = room.due
    ? el(
        "span.due",
        {},
        t("Move due: {when}", { when: formatRelativeTime((room.due - Date.now() - clockOffset) / 1000) }),
      )
    : null;
  return el(
    room.my_turn ? "li.table-row.my-turn" : "li.table-row",
    { "data-room": room.id },
    el(
      "div.table-words",
      {},
      el("h3.table-name", {}, room.title || presetName(room.preset)),
      list === "mine" ? null : TableFacts(room),
      el("p.table-people", {}, list === "mine" ? due : SeatDots(room), names.join(", ")),
    ),
    EnterButton(list, room),
  );
}

/** @param {LobbyList} list */
function showList(list) {
  const section = find(`[data-list="${list}"]`);
  const all = [...rooms[list].values()].sort(comparators[list]);
  const box = find("[data-rows]", section);
  // The button of a running request stays: a new one could be pressed again.
  /** @param {LobbyRoom} room */
  const busyRow = ({ id }) => box.querySelector(`[data-room="${CSS.escape(id)}"]:has([aria-busy])`);
  keepFocus(box, () => setChildren(box, ...all.map((room) => busyRow(room) ?? TableRow(list, room))));
  find("[data-count]", section).textContent = all.length ? String(all.length) : "";
  if (list === "open") showQueue();
  const empty = find("[data-empty]", section);
  if (empty) empty.hidden = all.length > 0;
  const waiting = find("[data-waiting]", section);
  if (waiting) waiting.hidden = true;
  if (list === "mine") {
    section.hidden = all.length === 0;
    offer.closeIfUntrue(rooms.mine);
    showOwnTurns(rooms.mine);
    showQueue();
  }
}

/** @param {LobbyMessage} message */
function receive(message) {
  if (message.t === "welcome") clockOffset = message.now - Date.now();
  if (message.t === "lobby") {
    for (const list of LISTS) {
      rooms[list] = new Map((message[list] ?? []).map((room) => [room.id, room]));
      showList(list);
    }
    const people = find("[data-people]");
    people.hidden = !message.people;
    people.textContent = tn("{n} person here", "{n} people here", message.people ?? 0);
  }
  if (message.t === "room" && rooms[message.list]) {
    const before = rooms[message.list].get(message.room.id) ?? {};
    rooms[message.list].set(message.room.id, { ...before, ...message.room });
    showList(message.list);
  }
  if (message.t === "gone" && rooms[message.list]?.delete(message.id)) showList(message.list);
  if (message.t === "refused") describeRefusal(message).then((sentence) => toast(sentence, "refused"));
}

function readFilter() {
  const form = new FormData(/** @type {HTMLFormElement} */ (find("[data-filters]")));
  /** @type {{ preset?: string, seats?: number, clock?: string, bots?: boolean }} */
  const filter = {};
  if (form.get("preset")) filter.preset = String(form.get("preset"));
  if (form.get("seats")) filter.seats = Number(form.get("seats"));
  if (form.get("clock")) filter.clock = String(form.get("clock"));
  if (form.get("people")) filter.bots = false;
  return filter;
}

/**
 * Run `work` with a named person and the button disabled. `showProblem` shows why the server refused.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} work
 * @param {(sentence: string) => void} [showProblem]
 */
async function runWithName(button, work, showProblem = (sentence) => toast(sentence, "refused")) {
  try {
    await withBusyButton(button, async () => {
      await ensureName(lobby.reconnect);
      await work();
    });
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    showProblem(problem.message);
  }
}

/** @param {string} id */
const goTo = (id) => location.assign(`/g/${encodeURIComponent(id)}`);

/**
 * Take a seat at a table. A locked table asks for its password on its own page.
 * @param {LobbyRoom} room
 * @param {HTMLButtonElement} button
 */
function join(room, button) {
  if (room.rated && ratedWays.isGuest) return openAccountDialog(`/g/${encodeURIComponent(room.id)}`);
  return runWithName(button, async () => {
    if (!room.locked) await takeSeat(room.id);
    goTo(room.id);
  });
}

/**
 * Resign a game against bots, after a confirmation. It ends and disappears from the list.
 * @param {LobbyRoom} room
 * @param {HTMLButtonElement} button
 */
async function leave(room, button) {
  const table = room.title || presetName(room.preset);
  const question = t("Leave {table} for good? The game ends now, and you can't come back to it.", { table });
  if (!(await confirmAction(question, t("Leave the game")))) return;
  const resign = { id: randomHex(), version: 0, action: { type: "resign" } };
  return runWithName(button, () => post(`/games/${encodeURIComponent(room.id)}/act`, resign));
}

/**
 * Create an unlisted table and take a seat. At the limit of tables, the oldest one without other people is ended.
 * @param {{ options: object, bots?: string[], hints?: boolean, rated?: boolean }} fields
 */
async function openUnlistedTable(fields) {
  const table = await createOrMakeRoom({ visibility: "unlisted", ...fields });
  if (table.ended?.length)
    toastOnNextPage(
      tn(
        "To make room, your oldest unfinished game without other players was ended.",
        "To make room, your {n} oldest unfinished games without other players were ended.",
        table.ended.length,
      ),
    );
  await takeSeat(table.id, table);
  return table.id;
}

const ratedWays = RatedWays(document.body, showQueue);
const offer = WaitingOffer({ run: runWithName, startBotGame, goTo, findCloser: moveToCloserTable });

const levelField = /** @type {HTMLSelectElement} */ (find("[data-level]"));

/** Open a table with bots of the chosen level on the other seats, start the game and go there. */
async function startBotGame() {
  const bots = [levelField.value, levelField.value];
  const options = { preset: "jamaica", players: 3 };
  const id = await openUnlistedTable({ options, bots, hints: isNewcomer() });
  countBotGame(id);
  await startGame(id);
  goTo(id);
}

/** @param {HTMLButtonElement} button */
const playBots = (button) => runWithName(button, startBotGame);

/** @param {HTMLButtonElement} button */
function playFriends(button) {
  return runWithName(button, async () =>
    // Seats that stay empty are removed at the start.
    goTo(
      await openUnlistedTable({
        options: { preset: "jamaica", players: 5 },
        ...ratedWays.friendsFields(),
      }),
    ),
  );
}

/** Show how many people quick play would find. It ignores some filters, and with these the number is not known. */
function showQueue() {
  const { clock, bots } = readFilter();
  const place = find("[data-queue]");
  if (clock || bots !== undefined) {
    place.textContent = "";
    return;
  }
  const n = [...rooms.open.values()]
    .filter((room) => !rooms.mine.has(room.id) && Boolean(room.rated) === ratedWays.isQuickRated())
    .reduce((sum, room) => sum + (room.waiting ?? 0), 0);
  place.textContent = n
    ? tn("{n} person is waiting.", "{n} people are waiting.", n)
    : t("No one is waiting right now.");
}

/** Return the answer of quick play, for the filtered edition and number of seats. */
function askQuickPlay() {
  const { preset, seats } = readFilter();
  return createOnce("/quick", {
    ...(preset ? { preset } : { any_preset: true }),
    ...(seats ? { seats } : { any_seats: true }),
    ...ratedWays.quickFields(),
  });
}

/**
 * Join a table where someone is waiting. Without one, create a table and keep a seat there; the player may play elsewhere.
 * @param {HTMLButtonElement} button
 */
function quickPlay(button) {
  return runWithName(button, async () => {
    const table = await askQuickPlay();
    await takeSeat(table.id, table);
    if (table.found) {
      goTo(table.id);
      return;
    }
    keepSeat(table.id);
    releaseButton(button);
    offer.open(table.id, ratedWays.isQuickRated());
    offer.closeIfUntrue(rooms.mine);
  });
}

/**
 * Move from one's own rated table to one with a similar rating, if there is any by now. Return its id.
 * @param {string} own
 */
async function moveToCloserTable(own) {
  const table = await askQuickPlay();
  if (table.id === own) return null;
  if (!table.found) {
    // Somebody has just joined the own table, so quick play opened another one.
    await leaveTable(table.id);
    return null;
  }
  await takeSeat(table.id, table);
  await leaveTable(own);
  return table.id;
}

/**
 * Open a table on a big screen. Players join with their phones; this browser needs no name.
 * @param {HTMLButtonElement} button
 */
async function openScreen(button) {
  try {
    await withBusyButton(button, async () => location.assign(screenPath(await openScreenTable())));
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    toast(problem.message, "refused");
  }
}

const lobby = openReconnectingSocket({
  onOpen(send) {
    send(LOBBY_HELLO);
    /** @type {{ preset?: string, seats?: number, clock?: string, bots?: boolean }} */
    const filter = readFilter();
    if (Object.keys(filter).length) send({ do: "filter", ...filter });
  },
  onMessage: receive,
  onState: (state) => document.body.classList.toggle("is-lost", state === "lost"),
});

find("[data-filters]").addEventListener("change", () => lobby.send({ do: "filter", ...readFilter() }));
find("[data-filters]").addEventListener("submit", (event) => event.preventDefault());
/** @type {[string, (button: HTMLButtonElement) => unknown][]} */
const ways = [
  ["[data-play-bots]", playBots],
  ["[data-friends]", playFriends],
  ["[data-quick]", quickPlay],
  ["[data-tv]", openScreen],
];
for (const [selector, play] of ways) {
  const button = /** @type {HTMLButtonElement} */ (find(selector));
  button.addEventListener("click", () => play(button));
}
restoreLevel(levelField);
levelField.addEventListener("change", () => rememberLevel(levelField));
find("[data-show-all]").addEventListener("click", () => {
  find('[data-list="mine"]').classList.add("is-whole");
  find('[data-list="mine"] a').focus();
});
initNameForm(find("[data-name-form]"), find("#name-said"), lobby.reconnect);
