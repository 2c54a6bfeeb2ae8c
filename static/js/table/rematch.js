// The rematch button. Pressing it seats the player, ready, at the next table. Against bots only, the game starts at once;
// among people when all have pressed, or some time after two have. Spectators get a link to the next table. The password
// of this table is used for the next one, too.

/** @import {Table, TableState} from "../core/types.d.ts" */

/** @import {RefusedError} from "../core/api.js" */

import { el, setChildren } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { seatName } from "../core/names.js";
import { OneAtATime } from "../core/one_at_a_time.js";
import { storePassword } from "../core/room_password.js";

/** @param {string} game */
const tablePath = (game) => `/g/${encodeURIComponent(game)}`;

/**
 * Return the wins of each seat in this series, the player's own first; null without a series.
 * @param {TableState} state
 */
function winsBySeat({ table, you }) {
  const wins = table.series?.wins;
  if (!wins) return null;
  const seats = wins.map((count, seat) => ({ name: seatName(table.seats, seat), count, seat }));
  return [...seats.filter(({ seat }) => seat === you.seat), ...seats.filter(({ seat }) => seat !== you.seat)];
}

/**
 * Create the score line: "Ann 3 – 2 Bo", or each name and number for more players; null without a series.
 * @param {TableState} state
 */
export function scoreLine(state) {
  const seats = winsBySeat(state);
  if (!seats) return null;
  const [one, other] = seats;
  const words =
    seats.length === 2
      ? [`${one.name} `, el("b", {}, `${one.count} – ${other.count}`), ` ${other.name}`]
      : seats.flatMap(({ name, count }, at) => [at ? " · " : "", `${name} `, el("b", {}, String(count))]);
  return el("p", { class: "score", "aria-label": t("Games won") }, ...words);
}

/**
 * Return when the rematch starts, or that its table exists; "" without other people.
 * @param {Pick<Table, "seats" | "next">} table
 */
export function rematchNote({ seats, next }) {
  const people = seats.filter(({ person }) => person).length;
  if (people < 2) return "";
  if (next) return t("A table for the rematch has been opened.");
  return people === 2
    ? t("The game starts when you both want a rematch.")
    : t("The game starts when everyone wants a rematch, or 30 seconds after two players do.");
}

/**
 * Rematch({requestRematch(), refuse(sentence)}) -> {score, way, update(state)}
 * `way` contains the button, or a link for spectators; `score` the games won so far. Both elements update themselves.
 * @param {{ requestRematch: () => Promise<unknown>, refuse: (text: string) => void }} parts
 */
export function Rematch({ requestRematch, refuse }) {
  const score = el("div", { class: "rematch-score" });
  const way = el("div", { class: "rematch-way" });
  /** @type {TableState} Set by the first update. */
  let state;
  const presses = OneAtATime(draw);
  let drawn = "";

  /** @param {string} game */
  async function go(game) {
    const { isHandLayoutOn, rememberHandLayout } = await import("./hand_layout.js");
    // The big screen follows to the next table.
    if (isHandLayoutOn()) rememberHandLayout(game, true);
    if (state.password) storePassword(game, state.password);
    location.assign(tablePath(game));
  }

  /**
   * Take a seat and get ready at the next table, unless it has started.
   * @param {string} game
   */
  async function sitAtNextTable(game) {
    const { fetchTable, isAgainstBotsOnly, setReady, startGame, takeSeat } = await import(
      "../core/take_seat.js"
    );
    const table = await fetchTable(game);
    if (table.status !== "open" || table.opening) return;
    await takeSeat(game, { commitment: state.table.next_commitment ?? table.commitment });
    await (isAgainstBotsOnly(table) ? startGame(game) : setReady(game));
  }

  async function press() {
    try {
      if (!state.table.next) await requestRematch();
      const game = state.table.next;
      // Refused; the refusal has been shown.
      if (!game) return;
      await sitAtNextTable(game).catch((problem) => {
        if (!(problem.status >= 400 && problem.status < 429)) throw problem;
      });
      go(game);
    } catch (problem) {
      // Not a refusal but a bug in this page.
      if (/** @type {RefusedError} */ (problem).status === undefined) throw problem;
      refuse(/** @type {RefusedError} */ (problem).message);
    }
  }

  function button() {
    const main = { type: "button", class: "button button-main rematch", onclick: () => presses.run(press) };
    const { isBusy } = presses;
    return el("button", { ...main, disabled: isBusy, "aria-busy": isBusy ? "true" : null }, t("Rematch"));
  }

  /** @param {Table} table */
  function note(table) {
    const words = rematchNote(table);
    return words ? el("small", { class: "rematch-note" }, words) : null;
  }

  /** @param {TableState} state */
  function ways({ table, you }) {
    if (you.seat !== null) return [button(), note(table)];
    const { next } = table;
    if (!next) return [];
    /** @param {Event} event */
    const follow = (event) => {
      event.preventDefault();
      go(next);
    };
    return [
      el(
        "a",
        { class: "button button-main", href: tablePath(next), onclick: follow },
        t("Watch the next game"),
      ),
    ];
  }

  function draw() {
    const { table, you } = state;
    const key = JSON.stringify([table.next, table.series, table.seats, you.seat, presses.isBusy]);
    if (key === drawn) return;
    drawn = key;
    const hadFocus = way.contains(document.activeElement);
    setChildren(way, ...ways(state));
    setChildren(score, scoreLine(state));
    if (hadFocus) /** @type {HTMLElement | null} */ (way.firstElementChild)?.focus();
  }

  return {
    score,
    way,
    /** @param {TableState} next */
    update(next) {
      state = next;
      draw();
    },
  };
}
