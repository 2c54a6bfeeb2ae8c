// Log and chat, as two tabs. A log line shows its move on the board while it is hovered or focused.

import { el, keyed } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { lookOf, personName } from "../core/names.js";
import { N_, t, tn } from "../core/i18n.js";
import { announce } from "./announce.js";
import { pref, setPref } from "./preferences.js";

export const phrases = {
  hello: N_("Ahoy!"),
  good_luck: N_("Good luck!"),
  good_move: N_("Good move!"),
  thanks: N_("Thank you!"),
  sorry: N_("Sorry!"),
  one_moment: N_("One moment, please."),
  good_game: N_("Good game!"),
  rematch: N_("Another round?"),
};

/** LogAndChat(root, {onTrace(trace|null), onChat({text}|{preset}), onMute(person, on), towards(person, name)}, bar) -> {update(state)}; a small screen has a sign of unread lines in `bar` */
export function LogAndChat(root, { onTrace, onChat, onMute, towards }, bar = null) {
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
  const quick = el("div", { class: "chat-quick", role: "group", "aria-label": t("Ready phrases") });
  const hidden = el("div", { class: "chat-hidden", role: "group", "aria-label": t("Whose lines you hide"), hidden: true });
  const names = new Map(); // of everybody who wrote, to say later whom one hides
  const closedNote = el("p", { class: "chat-closed", hidden: true }, t("The host has closed the chat."));
  const panels = {
    log: el("div", { role: "tabpanel", id: "panel-log", "aria-labelledby": "tab-log", class: "talk-panel" }, lines),
    chat: el(
      "div",
      { role: "tabpanel", id: "panel-chat", "aria-labelledby": "tab-chat", class: "talk-panel" },
      chat,
      hidden,
      closedNote,
      quick,
      form,
    ),
  };
  const fresh = el("span", { class: "fresh", hidden: true });
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
      fresh,
    ),
  };
  root.append(
    el("h2", { class: "hidden" }, t("Log and chat")),
    el("div", { role: "tablist", class: "tabs", "aria-label": t("Log and chat") }, tabs.log, tabs.chat),
    panels.log,
    panels.chat,
  );
  const count = el("b", { class: "fresh" });
  const sign = el("button", { type: "button", class: "chat-sign button", hidden: true }, icon("ui", "ui-chat"), count);
  bar?.append(sign);
  let unread = 0;
  let isSeen = false; // the chat's tab is open, and not below the edge of a small screen
  let open = "log";
  let newest = null; // of the log lines: the one that Tab leads to
  let drawn = null; // the state on screen

  function show(name, focus = false) {
    open = name;
    for (const [each, tab] of Object.entries(tabs)) {
      tab.setAttribute("aria-selected", String(each === name));
      tab.setAttribute("tabindex", each === name ? "0" : "-1");
      panels[each].hidden = each !== name;
    }
    if (name === "chat" && isSeen) unread = 0;
    showUnread();
    setPref("tab", name);
    if (focus) tabs[name].focus();
    panels[name].firstElementChild.scrollTop = 1e6;
  }

  function showUnread() {
    const words = unread ? tn("Chat, {n} new", "Chat, {n} new", unread) : t("Chat");
    fresh.hidden = sign.hidden = unread === 0;
    fresh.textContent = count.textContent = String(unread);
    tabs.chat.setAttribute("aria-label", words);
    sign.setAttribute("aria-label", words);
    return words;
  }

  new IntersectionObserver(([{ isIntersecting }]) => {
    isSeen = isIntersecting;
    if (isSeen) unread = 0;
    showUnread();
  }).observe(panels.chat);
  sign.addEventListener("click", () => {
    show("chat", true);
    root.scrollIntoView({ block: "nearest" });
  });

  for (const [name, tab] of Object.entries(tabs)) tab.addEventListener("click", () => show(name));
  root.querySelector(".tabs").addEventListener("keydown", (event) => {
    if (["ArrowLeft", "ArrowRight"].includes(event.key)) show(open === "log" ? "chat" : "log", true);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    onChat({ text });
    input.value = "";
  });

  // One tab stop for the whole log; arrows walk it.
  lines.addEventListener("keydown", (event) => {
    const at = event.target.closest("li");
    const next = {
      ArrowDown: at?.nextElementSibling,
      ArrowUp: at?.previousElementSibling,
      Home: lines.firstElementChild,
      End: lines.lastElementChild,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    at.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });

  // A long game has hundreds of lines: the lists listen for them, not each line for itself.
  const traceOf = new WeakMap(); // line → the move it shows
  const traceAt = ({ target }) => traceOf.get(target?.closest?.("li"));
  for (const event of ["mouseover", "focusin"])
    lines.addEventListener(event, (at) => traceAt(at) && onTrace(traceAt(at)));
  for (const event of ["mouseout", "focusout"])
    lines.addEventListener(event, (at) => {
      if (traceAt(at) && !at.target.closest("li").contains(at.relatedTarget)) onTrace(null);
    });
  chat.addEventListener("click", ({ target }) => {
    const { person } = target.closest("li")?.dataset ?? {};
    if (target.closest(".mute")) onMute(person, true);
    if (target.closest(".person")) towards(person, personName(names.get(person)));
  });

  /** Whom one hides, each with the way back. */
  function showHidden({ muted = [] }, seats) {
    const nameOf = (person) => personName(seats.find((seat) => seat.person === person)?.name ?? names.get(person));
    const wanted = muted.map((person) => [person, t("Show again what {name} writes", { name: nameOf(person) })]);
    const key = JSON.stringify(wanted);
    if (hidden.dataset.key === key) return;
    hidden.dataset.key = key;
    hidden.hidden = wanted.length === 0;
    hidden.replaceChildren(
      ...wanted.map(([person, words]) =>
        el("button", { type: "button", class: "quick", onclick: () => onMute(person, false) }, words),
      ),
    );
  }

  const atBottom = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 60;

  /**
   * Keep a list at its newest line until its reader scrolls up, and again once the reader is back at the end. Nothing
   * else leads upwards and away from the end: lines that come, a box that changes its size and words that wrap anew do not.
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
    document.fonts?.ready.then(toEnd); // the words may have wrapped anew
    return toEnd;
  }
  const toEnd = { log: keepAtEnd(lines), chat: keepAtEnd(chat) };

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

  function chatLine({ person, name: given, seat, channel, preset, text }, { you, table }) {
    const mine = person === you.person;
    const name = personName(given);
    names.set(person, given);
    const item = el(
      "li",
      {
        class: seat === null || seat === undefined ? "chat-line watcher" : `chat-line look-${lookOf(table.seats, seat)}`,
        "data-person": person,
      },
      mine || !you.person ? el("b", {}, name) : el("button", { type: "button", class: "person" }, name),
      channel === "spectators" ? el("small", {}, ` (${t("watching")})`) : null,
      el("span", {}, preset ? t(phrases[preset] ?? preset) : text),
    );
    if (!mine && you.person) {
      const words = t("Hide what {name} writes", { name });
      item.append(
        el(
          "button",
          { type: "button", class: "mute", title: words },
          icon("ui", "ui-mute"),
          el("span", { class: "hidden" }, words),
        ),
      );
    }
    if (!isSeen && !mine) unread += 1;
    return item;
  }

  /** One tab stop for the whole log: its newest line, until an arrow leads elsewhere. */
  function moveTabStop() {
    if (lines.lastElementChild === newest) return;
    newest = lines.lastElementChild;
    for (const each of lines.querySelectorAll('[tabindex="0"]')) each.setAttribute("tabindex", "-1");
    newest?.setAttribute("tabindex", "0");
  }

  show(pref("tab") === "chat" ? "chat" : "log");

  return {
    update(state) {
      const { you, table, presets } = state;
      if (drawn?.log !== state.log) {
        keyed(lines, state.log, ({ seq }) => seq, (line) => logLine(line, table.seats), () => {});
        toEnd.log();
        moveTabStop();
      }
      if (drawn?.lines !== state.lines) {
        const known = unread;
        keyed(chat, state.lines, ({ n }) => n, (line) => chatLine(line, state), () => {});
        toEnd.chat();
        const words = showUnread();
        if (unread && !known) announce(words); // once, until they are read
      }
      drawn = state;
      showHidden(you, table.seats);
      const closed = table.chat_closed || !you.person;
      form.hidden = closed;
      quick.hidden = closed;
      closedNote.hidden = !table.chat_closed;
      if (quick.children.length !== presets.length) {
        quick.replaceChildren(
          ...presets
            .filter((name) => name in phrases)
            .map((name) =>
              el("button", { type: "button", class: "quick", onclick: () => onChat({ preset: name }) }, t(phrases[name])),
            ),
        );
      }
    },
  };
}
