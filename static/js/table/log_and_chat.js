// Log and chat in two tabs. A hovered or focused log line shows its move on the board.

/** @import {ChatLine, LogLine, Seat, SeatLooks, TableState, Trace, You} from "../core/types.d.ts" */

import { el, find, targetOf, updateKeyed } from "../core/dom.js";
import { N_, t, tn } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { lookOf, personName } from "../core/names.js";
import { announce } from "./announce.js";
import { pref, setPref } from "./preferences.js";
import { lastReadLine, rememberReadLine } from "./read_chat.js";

/** @type {Record<string, string>} */
export const CHAT_PRESETS = {
  hello: N_("Ahoy!"),
  good_luck: N_("Good luck!"),
  good_move: N_("Good move!"),
  thanks: N_("Thank you!"),
  sorry: N_("Sorry!"),
  one_moment: N_("One moment, please."),
  good_game: N_("Good game!"),
  rematch: N_("Another round?"),
};

/**
 * LogAndChat(root, {onTrace, onChat, onMute, onPerson}, bar) -> {update(state)}. On small screens `bar` gets a button with
 * the number of unread lines.
 * @param {HTMLElement} root
 * @param {{ onTrace: (trace: Trace | null) => void, onChat: (line: { text: string } | { preset: string }) => void, onMute: (person: string, on: boolean) => void, onPerson: (person: string, name: string) => void }} options
 * @param {HTMLElement | null} [bar]
 */
export function LogAndChat(root, { onTrace, onChat, onMute, onPerson }, bar = null) {
  const lines = el("ol", { class: "log-lines", "aria-label": t("Log") });
  const chat = el("ol", { class: "chat-lines", "aria-label": t("Chat"), "aria-live": "polite" });
  const input = el("input", {
    type: "text",
    maxlength: 300,
    autocomplete: "off",
    enterkeyhint: "send",
    "aria-label": t("Write a message"),
  });
  const form = el(
    "form",
    { class: "chat-form" },
    input,
    el("button", { class: "button button-small", type: "submit" }, t("Send")),
  );
  const quick = el("div", { class: "chat-quick", role: "group", "aria-label": t("Quick messages") });
  const hidden = el("div", {
    class: "chat-hidden",
    role: "group",
    "aria-label": t("Players whose messages you hide"),
    hidden: true,
  });
  // Names of all chatters by id, for the list of muted people.
  const names = new Map();
  const closedNote = el("p", { class: "chat-closed", hidden: true }, t("The host has closed the chat."));
  const nameNote = el(
    "p",
    { class: "chat-closed", hidden: true },
    t("You need a name to write in the chat."),
    " ",
    el("a", { href: "/account" }, t("Choose a name")),
  );
  const spectatorNote = el(
    "p",
    { class: "chat-closed", hidden: true },
    t("Only spectators read this until the game is over."),
  );
  const panels = {
    log: el(
      "div",
      { role: "tabpanel", id: "panel-log", "aria-labelledby": "tab-log", class: "talk-panel" },
      lines,
    ),
    chat: el(
      "div",
      { role: "tabpanel", id: "panel-chat", "aria-labelledby": "tab-chat", class: "talk-panel" },
      chat,
      hidden,
      closedNote,
      nameNote,
      spectatorNote,
      quick,
      form,
    ),
  };
  const unreadBadge = el("span", { class: "fresh", hidden: true });
  const tabs = {
    log: el(
      "button",
      { type: "button", role: "tab", id: "tab-log", "aria-controls": "panel-log" },
      icon("ui", "ui-log"),
      t("Log"),
    ),
    chat: el(
      "button",
      { type: "button", role: "tab", id: "tab-chat", "aria-controls": "panel-chat" },
      icon("ui", "ui-chat"),
      t("Chat"),
      unreadBadge,
    ),
  };
  root.append(
    el("h2", { class: "hidden" }, t("Log and chat")),
    el("div", { role: "tablist", class: "tabs", "aria-label": t("Log and chat") }, tabs.log, tabs.chat),
    panels.log,
    panels.chat,
  );
  const count = el("b", { class: "fresh" });
  const sign = el(
    "button",
    { type: "button", class: "chat-sign button", hidden: true },
    icon("ui", "ui-chat"),
    count,
  );
  bar?.append(sign);
  let unread = 0;
  // Whether the chat is visible: its tab is open and scrolled into view.
  let isSeen = false;
  let open = "log";
  // The log line in the tab order.
  /** @type {Element | null} */
  let newest = null;
  // The state that was drawn last.
  /** @type {TableState | null} */
  let drawn = null;

  /**
   * @param {"log" | "chat"} name
   * @param {boolean} [focus]
   */
  function show(name, focus = false) {
    open = name;
    for (const key of /** @type {("log" | "chat")[]} */ (["log", "chat"])) {
      const tab = tabs[key];
      tab.setAttribute("aria-selected", String(key === name));
      tab.setAttribute("tabindex", key === name ? "0" : "-1");
      panels[key].hidden = key !== name;
    }
    if (name === "chat" && isSeen) markRead();
    showUnread();
    setPref("tab", name);
    if (focus) tabs[name].focus();
    /** @type {Element} */ (panels[name].firstElementChild).scrollTop = 1e6;
  }

  function markRead() {
    unread = 0;
    if (drawn) rememberReadLine(drawn);
  }

  function showUnread() {
    const words = unread ? tn("Chat, {n} new message", "Chat, {n} new messages", unread) : t("Chat");
    unreadBadge.hidden = sign.hidden = unread === 0;
    unreadBadge.textContent = count.textContent = String(unread);
    tabs.chat.setAttribute("aria-label", words);
    sign.setAttribute("aria-label", words);
    return words;
  }

  new IntersectionObserver(([{ isIntersecting }]) => {
    isSeen = isIntersecting;
    if (isSeen) markRead();
    showUnread();
  }).observe(panels.chat);
  sign.addEventListener("click", () => {
    show("chat", true);
    root.scrollIntoView({ block: "nearest" });
  });

  tabs.log.addEventListener("click", () => show("log"));
  tabs.chat.addEventListener("click", () => show("chat"));
  find(".tabs", root).addEventListener("keydown", (event) => {
    if (["ArrowLeft", "ArrowRight"].includes(event.key)) show(open === "log" ? "chat" : "log", true);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    onChat({ text });
    input.value = "";
  });

  // The log is one tab stop; arrow keys move within it.
  lines.addEventListener("keydown", (event) => {
    const at = targetOf(event).closest("li");
    /** @type {Record<string, Element | null | undefined>} */
    const targets = {
      ArrowDown: at?.nextElementSibling,
      ArrowUp: at?.previousElementSibling,
      Home: lines.firstElementChild,
      End: lines.lastElementChild,
    };
    const next = /** @type {HTMLElement | null | undefined} */ (targets[event.key]);
    if (!next || !at) return;
    event.preventDefault();
    at.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });

  // Event delegation: a long game has hundreds of lines.
  /** @type {WeakMap<Element, Trace>} */
  const traceOf = new WeakMap();
  /** @param {Event} event */
  const traceAt = (event) => traceOf.get(/** @type {Element} */ (targetOf(event)?.closest?.("li")));
  for (const event of ["mouseover", "focusin"])
    lines.addEventListener(event, (at) => {
      const trace = traceAt(at);
      if (trace) onTrace(trace);
    });
  for (const event of ["mouseout", "focusout"])
    lines.addEventListener(event, (at) => {
      const { relatedTarget } = /** @type {MouseEvent | FocusEvent} */ (at);
      if (
        traceAt(at) &&
        !targetOf(at)
          .closest("li")
          ?.contains(/** @type {Node | null} */ (relatedTarget))
      )
        onTrace(null);
    });
  chat.addEventListener("click", (event) => {
    const target = targetOf(event);
    const person = target.closest("li")?.dataset.person;
    if (!person) return;
    if (target.closest(".mute")) onMute(person, true);
    if (target.closest(".person")) onPerson(person, personName(names.get(person)));
  });

  /**
   * List the muted people, each with a button to unmute.
   * @param {You} you
   * @param {Seat[]} seats
   */
  function showHidden({ muted = [] }, seats) {
    /** @param {string} person */
    const nameOf = (person) =>
      personName(seats.find((seat) => seat.person === person)?.name ?? names.get(person));
    const entries = muted.map((person) => [
      person,
      t("Show messages from {name} again", { name: nameOf(person) }),
    ]);
    const key = JSON.stringify(entries);
    if (hidden.dataset.key === key) return;
    hidden.dataset.key = key;
    hidden.hidden = entries.length === 0;
    hidden.replaceChildren(
      ...entries.map(([person, words]) =>
        el("button", { type: "button", class: "quick", onclick: () => onMute(person, false) }, words),
      ),
    );
  }

  /** @param {HTMLElement} box */
  const atBottom = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 60;

  /**
   * Keep a list scrolled to its end unless the reader has scrolled up. Only a scroll upwards away from the end counts as
   * such: new lines, resizing and rewrapping do not cause one.
   * @param {HTMLElement} box
   */
  function keepAtEnd(box) {
    let top = 0;
    let isAtEnd = true;
    const toEnd = () => {
      if (isAtEnd) box.scrollTop = box.scrollHeight;
      top = box.scrollTop;
    };
    box.addEventListener("scroll", () => {
      if (atBottom(box)) isAtEnd = true;
      else if (box.scrollTop < top) isAtEnd = false;
      top = box.scrollTop;
    });
    new ResizeObserver(toEnd).observe(box);
    // A loaded font may rewrap the lines.
    document.fonts?.ready.then(toEnd);
    return toEnd;
  }
  const toEnd = { log: keepAtEnd(lines), chat: keepAtEnd(chat) };

  /**
   * @param {LogLine} line
   * @param {SeatLooks} seats
   */
  function logLine({ text, seat, traces }, seats) {
    const item = el(
      "li",
      { class: seat === null ? "log-line" : `log-line look-${lookOf(seats, seat)}`, tabindex: "-1" },
      el("span", {}, text),
    );
    if (traces.length) {
      item.classList.add("has-trace");
      traceOf.set(item, traces[0]);
    }
    return item;
  }

  /**
   * @param {ChatLine} line
   * @param {TableState} state
   */
  function chatLine({ n, person, name: given, seat, channel, preset, text }, state) {
    const { you, table } = state;
    const isOwn = person === you.person;
    const name = personName(given);
    names.set(person, given);
    const item = el(
      "li",
      {
        class:
          seat === null || seat === undefined
            ? "chat-line watcher"
            : `chat-line look-${lookOf(table.seats, seat)}`,
        "data-person": person,
      },
      isOwn || !you.person ? el("b", {}, name) : el("button", { type: "button", class: "person" }, name),
      channel === "spectators" ? el("small", {}, ` (${t("spectator")})`) : null,
      el("span", {}, preset ? t(CHAT_PRESETS[preset] ?? preset) : text),
    );
    if (!isOwn && you.person) {
      const words = t("Hide messages from {name}", { name });
      item.append(
        el(
          "button",
          { type: "button", class: "mute", title: words },
          icon("ui", "ui-mute"),
          el("span", { class: "hidden" }, words),
        ),
      );
    }
    if (!isSeen && !isOwn && n > lastReadLine(state)) unread += 1;
    return item;
  }

  /** Make the newest log line the tab stop of the log. */
  function moveTabStop() {
    if (lines.lastElementChild === newest) return;
    newest = lines.lastElementChild;
    for (const line of lines.querySelectorAll('[tabindex="0"]')) line.setAttribute("tabindex", "-1");
    newest?.setAttribute("tabindex", "0");
  }

  show(pref("tab") === "chat" ? "chat" : "log");

  return {
    /** @param {TableState} state */
    update(state) {
      const { you, table, chatPresets } = state;
      if (drawn?.log !== state.log) {
        updateKeyed(
          lines,
          /** @type {LogLine[]} */ (state.log),
          ({ seq }) => seq,
          (line) => logLine(line, table.seats),
          () => {},
        );
        toEnd.log();
        moveTabStop();
      }
      if (drawn?.chatLines !== state.chatLines) {
        const unreadBefore = unread;
        updateKeyed(
          chat,
          state.chatLines,
          ({ n }) => n,
          (line) => chatLine(line, state),
          () => {},
        );
        toEnd.chat();
        const words = showUnread();
        // Announce only the first unread line.
        if (unread && !unreadBefore) announce(words);
      }
      drawn = state;
      if (isSeen) markRead();
      showHidden(you, table.seats);
      const closed = table.chat_closed || !you.person;
      form.hidden = closed;
      quick.hidden = closed;
      closedNote.hidden = !table.chat_closed;
      nameNote.hidden = table.chat_closed || Boolean(you.person);
      spectatorNote.hidden = closed || you.seat !== null || table.status !== "running";
      if (quick.children.length !== chatPresets.length) {
        quick.replaceChildren(
          ...chatPresets
            .filter((name) => name in CHAT_PRESETS)
            .map((name) =>
              el(
                "button",
                { type: "button", class: "quick", onclick: () => onChat({ preset: name }) },
                t(CHAT_PRESETS[name]),
              ),
            ),
        );
      }
    },
  };
}
