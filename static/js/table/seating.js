// The seating before the start: take a seat, choose a colour, get ready, invite others. The host adds bots and starts.

/** @import {State, Table, TableState, You} from "../core/types.d.ts" */

/** @import {OpeningTable} from "../core/sealing.js" */
/** @import {TableAccess} from "./confirmed_commands.js" */

import { isCorrespondence } from "../core/clock_kinds.js";
import { confirmAction } from "../core/confirm_dialog.js";
import { dateLocale } from "../core/date_locale.js";
import { el, setChildren } from "../core/dom.js";
import { formatList, N_, t, tn } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { LEVELS, levelName, personName } from "../core/names.js";
import { canOpen, hasOpened } from "../core/sealing.js";
import { ownRemovalEnds } from "./banners.js";
import {
  canStart,
  describeStart,
  hostHint,
  isReadyToStart,
  spectatorHint,
  startHint,
  updateCountdown,
  waitingLines,
} from "./before_start.js";
import { HostPassword } from "./host_password.js";
import { optionLines } from "./option_text.js";
import { headOfSeating } from "./seating_head.js";
import { SeatRow } from "./seating_row.js";

/** Why the last start failed. */
const VOID_REASONS = {
  late: N_(
    "The game could not start: a player's browser did not confirm in time, and their seat is empty again.",
  ),
  lost: N_("The game could not start: a player's browser had lost its sealed number."),
  left: N_("The game could not start: the host removed a player whose browser had not confirmed."),
};

/**
 * Return what the link is good for; "" if the table is full and can't be watched.
 * @param {Table} table
 */
function linkText({ seats, spectators, locked, rated }) {
  if (seats.some(({ person, bot, reserved }) => !person && !bot && !reserved)) {
    if (rated)
      return locked
        ? t("Anyone with this link, the password and an account can join.")
        : t("Anyone with this link and an account can join.");
    return locked
      ? t("Anyone with this link and the password can join.")
      : t("Anyone with this link can join.");
  }
  if (!spectators) return "";
  return locked
    ? t("Anyone with this link and the password can watch.")
    : t("Anyone with this link can watch.");
}

/**
 * Seating(root, {game, send(command), currentSeats(), refuse(text), sit(seat, name), voidRound(), now(), onPerson(person, name)}) -> {update(state)}
 * @param {HTMLElement} root
 * @param {TableAccess & { game: string, sit: (seat: number, name: string) => void, voidRound: () => void, now: () => number, onPerson: (person: string, name: string) => void }} options
 */
export function Seating(root, { game, send, currentSeats, refuse, sit, voidRound, now, onPerson }) {
  const seats = el("ol", { class: "berths" });
  const host = el("div", { class: "host-controls" });
  const head = el("div", { class: "seating-head" });
  const terms = el("details", { class: "terms" }, el("summary", {}, t("The rules of this table")));
  const link = el("input", { type: "text", readonly: true, id: "invite-link" });
  const copied = el("span", { class: "copied", role: "status" });
  const copy = el(
    "button",
    { type: "button", class: "button button-small", onclick: copyLink },
    icon("ui", "ui-link"),
    t("Copy the link"),
  );
  const share = el(
    "button",
    {
      type: "button",
      class: "button button-small",
      hidden: !navigator.share,
      onclick: () => navigator.share({ title: document.title, url: link.value }).catch(() => {}),
    },
    t("Share"),
  );
  const qr = el("img", {
    class: "qr",
    alt: t("The link as a QR code"),
    width: 148,
    height: 148,
    loading: "lazy",
  });
  // A new guest can enter a name here and take a seat in one step.
  const name = el("input", {
    id: "guest-name",
    maxlength: 24,
    autocomplete: "nickname",
    placeholder: t("Leave empty for a suggestion"),
  });
  const naming = el(
    "p",
    { class: "field naming", hidden: true },
    el("label", { for: "guest-name" }, t("Your name at the table")),
    name,
  );
  const linkWords = el("label", { for: "invite-link" });
  const password = HostPassword({ game, send });
  const invite = el(
    "section",
    { class: "invite" },
    el("h3", {}, t("Invite")),
    password.element,
    linkWords,
    el("div", { class: "invite-row" }, link, copy, share, copied),
    qr,
  );
  root.append(
    head,
    el(
      "div",
      { class: "seating-body" },
      el("section", { class: "berth-list" }, naming, el("h3", {}, t("Seats")), seats, host),
      invite,
    ),
    terms,
  );
  const seatRow = SeatRow({
    send,
    currentSeats,
    refuse,
    onSit: (seat) => sit(seat, name.value.trim()),
    onPerson,
    isBarred,
  });
  let drawn = "";
  // When the offer to let removed players sit down again ends; 0 if it is not shown.
  let readmissionEnds = 0;
  /** @type {TableState} Set by the first update. */
  let shown;

  /**
   * Whether the host has removed the player, who must wait before sitting down again.
   * @param {TableState} state
   */
  function isBarred(state) {
    return state.you.removed && state.you.seat === null && ownRemovalEnds(state) > now();
  }

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(link.value);
      copied.textContent = t("Copied.");
    } catch {
      link.select();
      copied.textContent = t("Press Ctrl+C to copy.");
    }
  }

  /** @param {State} state */
  // Does not count the viewer.
  const watching = ({ presence, you }) => presence.watching - (you.seat === null ? 1 : 0);

  async function closeTable() {
    const question = t("Close this table? Everyone here will be told, and no one can open it again.");
    if (await confirmAction(question, t("Close the table"))) send({ do: "close" });
  }

  async function confirmVoid() {
    const question = t(
      "Seal again? The start is called off, and all players have to get ready once more. The second time you do this, you lose your seat.",
    );
    if (await confirmAction(question, t("Seal again"))) voidRound();
  }

  const closeButton = () =>
    el(
      "button",
      { type: "button", class: "button button-small button-quiet close-table", onclick: closeTable },
      t("Close the table"),
    );

  /** @param {Table} table */
  const VoidNote = ({ void_why: why }) =>
    why ? el("p", { class: "seating-wait" }, t(VOID_REASONS[why])) : null;

  /**
   * Return the lines that are shown while the start waits for the browsers to open their seals.
   * @param {{ table: OpeningTable, you: You }} state
   */
  function openingLines({ table, you }) {
    const waited = table.opening.order.filter((seat) => !hasOpened(table, seat));
    const others = waited
      .filter((seat) => seat !== you.seat)
      .map((seat) => personName(table.seats[seat].name));
    /** @type {HTMLElement[]} */
    const lines = [el("p", { class: "seating-wait" }, el("b", {}, t("The game is about to start.")))];
    if (you.seat !== null && waited.includes(you.seat) && !canOpen(table.id, table, you.seat))
      lines.push(
        el(
          "p",
          { class: "seating-wait" },
          t(
            "Your seat was sealed in another browser or on another device. Open this table there, and the game will start by itself.",
          ),
        ),
        el(
          "button",
          { type: "button", class: "button button-small", onclick: confirmVoid },
          t("I no longer have it: seal again"),
        ),
      );
    if (others.length)
      lines.push(
        el(
          "p",
          { class: "seating-wait" },
          t("Waiting for confirmation from: {names}.", { names: formatList(others) }),
        ),
      );
    if (table.opening.asked) {
      const until = new Date(Date.now() + table.opening.until - now());
      const time = until.toLocaleString(
        dateLocale(),
        isCorrespondence(table.clock?.kind) ? {} : { timeStyle: "medium" },
      );
      lines.push(
        el(
          "p",
          { class: "seating-wait" },
          t(
            "Deadline: {time}. Players who have not confirmed by then lose their seat, and the others start again.",
            { time },
          ),
        ),
      );
    }
    return lines;
  }

  /**
   * @param {TableState} state
   * @returns {(HTMLElement | null)[]}
   */
  function hostControls(state) {
    const { table, you } = state;
    if (table.opening) return openingLines({ table: /** @type {OpeningTable} */ (table), you });
    const isHost = you.person !== null && table.host === you.person;
    if (!isHost && !canStart(state))
      return [
        VoidNote(table),
        ...waitingLines(state, now),
        el(
          "p",
          { class: "seating-wait" },
          you.seat === null ? spectatorHint(state, isBarred(state)) : startHint(state),
        ),
      ];
    const free = table.seats.filter((seat) => !seat.person && !seat.bot && !seat.reserved).length;
    const ready = isReadyToStart(state);
    const level = el(
      "select",
      { id: "bot-level", "aria-label": t("How well the bot plays") },
      ...LEVELS.map((name) =>
        el("option", { value: name, selected: name === (table.bot_level ?? "sailor") }, levelName(name)),
      ),
    );
    return [
      VoidNote(table),
      ...waitingLines(state, now),
      free && isHost
        ? el(
            "div",
            { class: "bot-row" },
            level,
            el(
              "button",
              {
                type: "button",
                class: "button button-small",
                onclick: () => send({ do: "bot", level: level.value }),
              },
              icon("ui", "ui-bot"),
              t("Add a bot"),
            ),
          )
        : null,
      canStart(state)
        ? el(
            "button",
            {
              type: "button",
              class: "button button-main start-game",
              disabled: !ready,
              onclick: () => begin(state),
            },
            icon("ui", "ui-anchor"),
            t("Start the game"),
          )
        : null,
      el("p", { class: "seating-wait" }, canStart(state) ? describeStart(state) : hostHint(state)),
      ...(readmissionEnds ? readmission(readmissionEnds) : []),
      closeButton(),
    ];
  }

  /**
   * Return the line and the button with which the host lets removed players sit down again.
   * @param {number} until
   */
  function readmission(until) {
    const time = new Date(Date.now() + until - now()).toLocaleTimeString(dateLocale(), {
      timeStyle: "short",
    });
    return [
      el("p", { class: "seating-wait" }, t("Players you removed can sit down again at {time}.", { time })),
      el(
        "button",
        {
          type: "button",
          class: "button button-small button-quiet",
          onclick: () => send({ do: "readmit" }),
        },
        t("Let them sit down now"),
      ),
    ];
  }

  /**
   * Start the game. A player who is not ready yet gets ready first.
   * @param {TableState} state
   */
  function begin({ table, you }) {
    if (!table.seats[/** @type {number} */ (you.seat)].ready) send({ do: "ready", ready: true });
    send({ do: "start" });
  }

  setInterval(() => {
    updateCountdown(root, now);
    if (readmissionEnds && readmissionEnds <= now()) update(shown);
    // The player may sit down again when the time is over.
    else if (shown?.you.removed) update(shown);
  }, 1000);

  /** @param {TableState} state */
  function update(state) {
    shown = state;
    const { table, you } = state;
    const isHost = you.person !== null && table.host === you.person;
    const until = table.removed_until ?? 0;
    readmissionEnds = isHost && until > now() ? until : 0;
    const key = JSON.stringify([table, you, state.presence, readmissionEnds, isBarred(state)]);
    if (key === drawn) return;
    drawn = key;
    naming.hidden = you.person !== null || table.status !== "open";
    // The edition selects the preview picture of a shared link; the page ignores it.
    link.value = `${location.href.split(/[?#]/)[0]}?edition=${table.options.preset}`;
    const hadFocus = root.contains(document.activeElement) ? document.activeElement?.textContent : null;
    /** @type {HTMLSelectElement | null} */
    const levelBefore = root.querySelector("#bot-level");
    const level = levelBefore?.value;
    head.replaceChildren(...headOfSeating(state));
    seats.replaceChildren(...table.seats.map((info, seat) => seatRow(state, info, seat)));
    const others = watching(state);
    setChildren(
      host,
      ...(table.status === "closed"
        ? [el("a", { class: "button button-main", href: "/" }, t("Go to the lobby"))]
        : hostControls(state)),
      ...(others > 0
        ? [el("p", { class: "seating-wait" }, tn("{n} spectator", "{n} spectators", others))]
        : []),
    );
    linkWords.textContent = linkText(table);
    password.update(table.locked && you.person !== null && table.host === you.person);
    invite.hidden = table.status === "closed" || !linkWords.textContent;
    /** @type {HTMLSelectElement | null} */
    const levelNow = root.querySelector("#bot-level");
    if (level && levelNow) levelNow.value = level;
    terms.replaceChildren(
      /** @type {Element} */ (terms.firstElementChild),
      el("ul", {}, ...optionLines(table).map((line) => el("li", {}, line))),
      el(
        "p",
        { class: "commitment" },
        t("The server's sealed random number:"),
        " ",
        el("code", {}, table.commitment ?? ""),
      ),
    );
    if (!qr.src) qr.src = `/qr/g/${encodeURIComponent(table.id)}.svg`;
    if (hadFocus)
      [...root.querySelectorAll("button")].find((button) => button.textContent === hadFocus)?.focus();
  }

  return { update };
}
