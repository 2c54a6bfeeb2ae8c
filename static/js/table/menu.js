// The table's menu: sound, end-turn countdown, hint, pause, resigning, keyboard shortcuts.

/** @import {Options, TableState} from "../core/types.d.ts" */
/** @import {TableAccess} from "./confirmed_commands.js" */

import { confirmAction } from "../core/confirm_dialog.js";
import { el, find, targetOf } from "../core/dom.js";
import { t, tn, withWholeCatalogue } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { presetName } from "../core/names.js";
import { makeHost } from "./confirmed_commands.js";
import { pref, setPref } from "./preferences.js";
import { showScrollCue } from "./scroll_cue.js";
import { openShortcutsDialog } from "./shortcuts.js";
import { canVibrate } from "./sound_and_vibration.js";

/**
 * Return the rules page for a table: that of its most unusual module.
 * @param {Options} options
 */
function rulesPage({ black_magic: magic, scoundrels, scenario, card_gain: gain }) {
  if (magic) return "/rules/black-magic";
  if (scoundrels) return "/rules/scoundrels";
  if (scenario === "complete") return "/rules/complete";
  return gain === "retreat" ? "/rules" : "/rules/morgan";
}

/**
 * Menu(box, body, {send, currentSeats, refuse, onResign, onLeave, onHint, onDevice, onPace, refuseUnreachable}) -> {update(state)}: fills the body of the menu.
 * menu_button.js loads it when the menu is opened.
 * @param {HTMLDetailsElement} box
 * @param {HTMLElement} body
 * @param {TableAccess & { onResign: () => void, onLeave: () => void, onHint: () => void, onDevice: () => void, onPace: (name: string) => void, refuseUnreachable: () => void }} options
 */
export function Menu(
  box,
  body,
  { onResign, onLeave, onHint, onDevice, onPace, refuseUnreachable, ...tableAccess },
) {
  const { send } = tableAccess;
  /** @type {(() => void)[]} */
  const switches = [];
  const sound = toggle("sound", ["ui-sound", t("Sound is on")], ["ui-mute", t("Sound is off")]);
  const vibration = toggle(
    "vibration",
    ["ui-vibrate", t("Vibration is on")],
    ["ui-vibrate", t("Vibration is off")],
  );
  vibration.hidden = !canVibrate();
  const countdown = el(
    "select",
    { id: "countdown" },
    ...[0, 3, 5, 10].map((n) =>
      el(
        "option",
        { value: n, selected: pref("countdown") === n },
        n ? tn("after {n} second", "after {n} seconds", n) : t("only when I say so"),
      ),
    ),
  );
  countdown.addEventListener("change", () => setPref("countdown", Number(countdown.value)));
  const paces = { slow: t("slow"), normal: t("normal"), fast: t("fast") };
  const pace = el(
    "select",
    { id: "pace" },
    ...Object.entries(paces).map(([value, words]) =>
      el("option", { value, selected: pref("pace") === value }, words),
    ),
  );
  pace.addEventListener("change", () => onPace(pace.value));
  /**
   * @param {string} sign
   * @param {string} words
   * @param {() => void} onclick
   */
  const item = (sign, words, onclick) =>
    el("button", { type: "button", class: "menu-item", onclick }, icon("ui", sign), el("span", {}, words));
  const hint = item("ui-lantern", t("Ask for a hint"), onHint);
  const hints = toggle("hints", ["ui-lantern", t("Hints are on")], ["ui-lantern", t("Hints are off")]);
  const pause = item("ui-pause", "", () => send({ do: "consent", to: "pause", yes: true }));
  const chat = item("ui-chat", "", () => send({ do: "close_chat", closed: !state.table.chat_closed }));
  const hosts = el("div", {
    class: "menu-hosts",
    role: "group",
    "aria-label": t("Make someone else the host"),
  });
  const device = item("ui-link", t("Continue on another device"), onDevice);
  const embed = item("ui-link", t("Embed this game"), () =>
    withWholeCatalogue(import("../core/embed_dialog.js")).then(
      ({ openEmbedDialog }) => openEmbedDialog(state.table),
      refuseUnreachable,
    ),
  );
  const resign = item("ui-flag", t("Resign"), async () => {
    const question = state.table.deal
      ? t(
          "Resign from this deal? You can't take this back: if it's your first attempt, it stays your result.",
        )
      : t("Resign from this game? Your pirates stay where they are, and you can't come back.");
    if (await confirmAction(question, t("Resign"))) onResign();
  });
  const leave = item("ui-close", t("Leave this game for good"), async () => {
    const question = state.table.deal
      ? t(
          "Leave this deal? It ends now and counts as resigned: if it's your first attempt, that stays your result.",
        )
      : t("Leave this game for good? It ends now, and you can't come back to it.");
    if (await confirmAction(question, t("Leave the game"))) onLeave();
  });
  const replay = el(
    "a",
    { class: "menu-item" },
    icon("ui", "ui-log"),
    el("span", {}, t("Replay the game so far")),
  );
  const rules = el(
    "a",
    { class: "menu-item", href: "/rules", target: "_blank", rel: "noopener" },
    icon("ui", "ui-help"),
    el("span", {}, t("Rules")),
  );
  const terms = el("ul", {});
  const options = el(
    "details",
    { class: "menu-keys menu-terms" },
    el("summary", {}, t("The rules of this table")),
    terms,
  );
  options.addEventListener("toggle", () => options.open && showTerms());
  // Short phones show no page header.
  const lobby = el(
    "a",
    { class: "menu-item", href: "/" },
    icon("ui", "ui-anchor"),
    el("span", {}, t("Go to the lobby")),
  );
  const help = item("ui-help", t("Keyboard shortcuts"), () => openShortcutsDialog().catch(refuseUnreachable));
  help.hidden = matchMedia("(hover: none) and (pointer: coarse)").matches;
  /**
   * @param {string} label
   * @param {...HTMLElement} items
   */
  const group = (label, ...items) =>
    el(
      "div",
      { class: "menu-group", role: "group", "aria-label": label },
      el("p", { class: "menu-label", "aria-hidden": "true" }, label),
      ...items,
    );
  body.append(
    group(t("This game"), hint, pause, options, rules, replay, chat, hosts, leave, resign),
    group(
      t("Your settings"),
      sound,
      vibration,
      hints,
      el(
        "label",
        { class: "menu-item menu-choice", for: "countdown" },
        icon("ui", "ui-hourglass"),
        el("span", {}, t("End my turn")),
        countdown,
      ),
      el(
        "label",
        { class: "menu-item menu-choice", for: "pace" },
        icon("ui", "ui-skip"),
        el("span", {}, t("Game speed")),
        pace,
      ),
      help,
    ),
    group(t("Other screens and pages"), device, embed, lobby),
  );
  /** @type {TableState} Set by the first update. */
  let state;

  /**
   * Show the host a button for each person who could take over the role.
   * @param {TableState} state
   */
  function showHosts({ table, you, view }) {
    const others =
      view && you.person && table.host === you.person
        ? table.seats.filter(({ person, bot }) => person && !bot && person !== you.person)
        : [];
    const key = JSON.stringify(others.map(({ person, name }) => [person, name]));
    if (hosts.dataset.key === key) return;
    hosts.dataset.key = key;
    hosts.hidden = others.length === 0;
    hosts.replaceChildren(
      ...others.map(({ person, name }) =>
        item("ui-helm", t("Make {name} the host", { name }), () =>
          makeHost(tableAccess, String(person), String(name)),
        ),
      ),
    );
  }

  /** Show the options of this table. Their texts are loaded on demand. */
  const showTerms = () =>
    withWholeCatalogue(import("./option_text.js")).then(({ optionLines }) => {
      const lines = [presetName(state.table.options.preset), ...optionLines(state.table)];
      terms.replaceChildren(...lines.map((line) => el("li", {}, line)));
    }, refuseUnreachable);

  /** Add the menu items for a big screen, loaded on demand. */
  async function showScreenItems() {
    const { screenMenuItems } = await withWholeCatalogue(import("./hand_layout.js"));
    const [screen, layout] = screenMenuItems(state.table.id, item);
    // The board of a trial or an analysis is on this page only.
    screen.hidden = Boolean(state.table.trial);
    device.after(screen, layout);
  }

  /**
   * Create a switch for a preference.
   * @param {"sound" | "vibration" | "hints"} name
   * @param {...string[]} states
   */
  function toggle(name, ...states) {
    const button = el("button", { type: "button", class: "menu-item menu-switch" });
    const show = () => {
      const [sign, words] = states[pref(name) ? 0 : 1];
      button.replaceChildren(icon("ui", sign), el("span", {}, words));
      button.setAttribute("aria-pressed", String(pref(name)));
    };
    button.addEventListener("click", () => {
      setPref(name, !pref(name));
      show();
    });
    show();
    switches.push(show);
    return button;
  }
  // The preference may have changed elsewhere.
  box.addEventListener("toggle", () => switches.forEach((show) => show()));
  /** End the menu above the lower edge of the screen. */
  const fit = () =>
    body.style.setProperty("--menu-top", `${Math.max(0, Math.round(body.getBoundingClientRect().top))}px`);
  box.addEventListener("toggle", fit);
  fit();
  showScrollCue(body);
  body.addEventListener("click", (event) => {
    const target = targetOf(event);
    if (target.closest("button") && !target.closest(".menu-switch")) box.open = false;
  });
  addEventListener("pointerdown", (event) => {
    if (!box.contains(targetOf(event))) box.open = false;
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.open) return;
    event.stopPropagation();
    box.open = false;
    find("summary", box).focus();
  });

  return {
    /** @param {TableState} next */
    update(next) {
      const isFirst = !state;
      state = next;
      if (isFirst) showScreenItems();
      // The pace can be changed elsewhere, too.
      pace.value = pref("pace");
      const { table, you, view } = state;
      const playing =
        table.status === "running" && you.seat !== null && view && !view.players[you.seat]?.resigned;
      hint.hidden = !playing || !table.hints || !state.choices.length;
      hints.hidden = !playing || !table.hints || !pref("firstGames").includes(table.id);
      const hasCompany = table.seats.some(({ person }, seat) => person && seat !== you.seat);
      pause.hidden = !playing || table.paused;
      find("span", pause).textContent = hasCompany ? t("Ask for a pause") : t("Pause the game");
      resign.hidden = !playing;
      leave.hidden = !playing || hasCompany;
      device.hidden = !you.person;
      chat.hidden = !you.person || table.host !== you.person;
      showHosts(state);
      find("span", chat).textContent = table.chat_closed ? t("Open the chat") : t("Close the chat");
      embed.hidden = table.locked || !table.spectators;
      rules.href = rulesPage(table.options);
      replay.href = `/g/${encodeURIComponent(table.id)}/replay`;
      replay.hidden = !view;
      if (table.trial)
        for (const entry of [pause, resign, leave, device, chat, replay, embed]) entry.hidden = true;
    },
  };
}
