// The lobby: live lists of tables, and the buttons that lead into a game.

/** @import {LobbyList, LobbyMessage, LobbyRoom} from "../core/types.d.ts" */

import { post, RefusedError } from "../core/api.js";
import { createOnce, withBusyButton } from "../core/create_once.js";
import { el, find, findAll, setChildren } from "../core/dom.js";
import { formatRelativeTime, N_, t, tn } from "../core/i18n.js";
import { LOBBY_HELLO, openLobbySocket } from "../core/lobby_socket.js";
import { personName, presetName } from "../core/names.js";
import { randomHex } from "../core/random.js";
import { describeRefusal } from "../core/refusals.js";
import { openScreenTable, screenPath } from "../core/screen_table.js";
import { startGame, takeSeat } from "../core/take_seat.js";
import { toast, toastOnNextPage } from "../core/toast.js";
import { announceTurns } from "../core/turn_notice.js";
import { countBotGame, isNewcomer } from "../table/first_games.js";
import { ensureName, initNameForm } from "./player_name.js";
import { variantNames } from "./variant_names.js";

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

// Keyed by the server's names.
/** @type {Record<string, string>} */
const clockNames = { turn: N_("Per turn"), bank: N_("Time bank"), days: N_("Days per turn") };
/** @param {LobbyRoom} room */
function SeatDots(room) {
  const dots = Array.from({ length: room.seats ?? 0 }, (_, n) =>
    el(n < (room.taken ?? 0) ? "i.dot.dot-taken" : "i.dot", { "aria-hidden": "true" }),
  );
  return el(
    "span.dots",
    {},
    ...dots,
    el("span.hidden", {}, t("Seats taken: {taken} of {seats}", { ...room })),
  );
}

/** @param {LobbyRoom} room */
function Facts(room) {
  const words = [room.title && presetName(room.preset), ...variantNames(room.variant ?? [])];
  if (room.clock in clockNames) words.push(t(clockNames[room.clock]));
  if (room.bots) words.push(tn("{n} bot", "{n} bots", room.bots));
  if (room.watching) words.push(tn("{n} spectator", "{n} spectators", room.watching));
  if (room.locked) words.push(t("needs a password"));
  return el("p.table-facts", {}, words.filter(Boolean).join(" · "));
}

/**
 * @param {LobbyList} list
 * @param {LobbyRoom} room
 */
function EnterButton(list, room) {
  const href = `/g/${encodeURIComponent(room.id)}`;
  if (list === "watch") return el("a.button.button-small.button-quiet", { href }, t("Watch"));
  if (list === "mine") {
    const words = room.my_turn
      ? t("Your turn")
      : room.status === "open"
        ? t("Go to the table")
        : t("Continue");
    const link = el(
      room.my_turn ? "a.button.button-small.button-main" : "a.button.button-small",
      { href },
      words,
    );
    return isAgainstBots(room) ? el("span.table-ways", {}, link, LeaveButton(room)) : link;
  }
  return el(
    "button.button.button-small.button-main",
    { type: "button", onclick: (/** @type {Press} */ event) => join(room, event.currentTarget) },
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
    { type: "button", "aria-label": label, title: label, onclick },
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
      Facts(room),
      el("p.table-people", {}, SeatDots(room), names.join(", "), due),
    ),
    EnterButton(list, room),
  );
}

/** @param {LobbyList} list */
function showList(list) {
  const section = find(`[data-list="${list}"]`);
  const all = [...rooms[list].values()].sort(comparators[list]);
  setChildren(find("[data-rows]", section), ...all.map((room) => TableRow(list, room)));
  find("[data-count]", section).textContent = all.length ? String(all.length) : "";
  const empty = find("[data-empty]", section);
  if (empty) empty.hidden = all.length > 0;
  const waiting = find("[data-waiting]", section);
  if (waiting) waiting.hidden = true;
  if (list === "mine") {
    section.hidden = all.length === 0;
    const turns = all.filter((room) => room.my_turn).length;
    document.title = turns ? `(${turns}) ${t("Your turn")} · Cartagena` : t("Cartagena: play online");
    announceTurns(all.filter((room) => room.my_turn));
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
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} work
 */
async function runWithName(button, work) {
  try {
    await withBusyButton(button, async () => {
      await ensureName();
      await work();
    });
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    toast(problem.message, "refused");
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
  return runWithName(button, async () => {
    if (!room.locked) await takeSeat(room.id);
    goTo(room.id);
  });
}

/**
 * Resign a game against bots. It ends and disappears from the list.
 * @param {LobbyRoom} room
 * @param {HTMLButtonElement} button
 */
function leave(room, button) {
  const resign = { id: randomHex(), version: 0, action: { type: "resign" } };
  return runWithName(button, () => post(`/games/${encodeURIComponent(room.id)}/act`, resign));
}

/**
 * Open an unlisted table with bots on the other seats and start the game.
 * @param {HTMLButtonElement} button
 */
function playBots(button) {
  return runWithName(button, async () => {
    const table = await createOnce("/games?make_room=true", {
      options: { preset: "jamaica", players: 3 },
      visibility: "unlisted",
      bots: ["sailor", "mate"],
      hints: isNewcomer(),
    });
    const { id, ended } = table;
    countBotGame(id);
    if (ended?.length)
      toastOnNextPage(t("To make room, your oldest unfinished game against bots was ended."));
    await takeSeat(id, table);
    await startGame(id);
    goTo(id);
  });
}

/** @param {HTMLButtonElement} button */
function quickPlay(button) {
  return runWithName(button, async () => {
    const { preset, seats } = readFilter();
    const table = await createOnce("/quick", { ...(preset && { preset }), ...(seats && { seats }) });
    await takeSeat(table.id, table);
    goTo(table.id);
  });
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

const send = openLobbySocket({
  onOpen() {
    send(LOBBY_HELLO);
    /** @type {{ preset?: string, seats?: number, clock?: string, bots?: boolean }} */
    const filter = readFilter();
    if (Object.keys(filter).length) send({ do: "filter", ...filter });
  },
  onMessage: receive,
  onState: (state) => document.body.classList.toggle("is-lost", state === "lost"),
});

find("[data-filters]").addEventListener("change", () => send({ do: "filter", ...readFilter() }));
find("[data-filters]").addEventListener("submit", (event) => event.preventDefault());
for (const button of findAll("[data-play-bots]"))
  button.addEventListener("click", () => playBots(/** @type {HTMLButtonElement} */ (button)));
for (const button of findAll("[data-quick]"))
  button.addEventListener("click", () => quickPlay(/** @type {HTMLButtonElement} */ (button)));
for (const button of findAll("[data-room]"))
  button.addEventListener("click", () => openScreen(/** @type {HTMLButtonElement} */ (button)));
initNameForm(find("[data-name-form]"), find("#name-said"));
