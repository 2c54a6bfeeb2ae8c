// The table's menu: sound, the end-turn countdown, hint, pause, giving up, and the keys one can press.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { presetName } from "../core/names.js";
import { pref, setPref } from "./preferences.js";
import { canVibrate } from "./senses.js";
import { openKeys } from "./shortcuts.js";
import { rare, t, tn } from "../core/i18n.js";

/** Ask before something that cannot be taken back; resolves true or false. */
export function confirm(question, yes) {
  return new Promise((resolve) => {
    const dialog = el(
      "dialog",
      { class: "confirm", "aria-labelledby": "confirm-words" },
      el("p", { id: "confirm-words" }, question),
      el(
        "form",
        { method: "dialog", class: "confirm-buttons" },
        el("button", { class: "button", value: "no", autofocus: true }, t("No")),
        el("button", { class: "button button-bad", value: "yes" }, yes),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** The page that explains what is special about a table: its strangest module first. */
export function rulesPage({ black_magic: magic, scoundrels, scenario, card_gain: gain }) {
  if (magic) return "/rules/black-magic";
  if (scoundrels) return "/rules/scoundrels";
  if (scenario === "complete") return "/rules/complete";
  return gain === "retreat" ? "/rules" : "/rules/morgan";
}

/** Menu(root, {send, onResign, onLeave, onHint}) -> {update(state)} */
export function Menu(root, { send, onResign, onLeave, onHint, onDevice, onPace }) {
  const switches = [];
  const sound = toggle("sound", ["ui-sound", t("Sound is on")], ["ui-mute", t("Sound is off")]);
  const vibration = toggle("vibration", ["ui-vibrate", t("Vibration is on")], ["ui-vibrate", t("Vibration is off")]);
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
    ...Object.entries(paces).map(([value, words]) => el("option", { value, selected: pref("pace") === value }, words)),
  );
  pace.addEventListener("change", () => onPace(pace.value));
  const item = (sign, words, onclick) =>
    el("button", { type: "button", class: "menu-item", onclick }, icon("ui", sign), el("span", {}, words));
  const hint = item("ui-lantern", t("Ask for a hint"), onHint);
  const pause = item("ui-pause", t("Ask for a pause"), () => send({ do: "consent", to: "pause", yes: true }));
  const chat = item("ui-chat", "", () => send({ do: "close_chat", closed: !state.table.chat_closed }));
  const hosts = el("div", { class: "menu-hosts", role: "group", "aria-label": t("Hand the host's role on") });
  const device = item("ui-link", t("Go on on another device"), onDevice);
  const embed = item("ui-link", t("Show this game elsewhere"), async () => (await rare(import("../core/embed_snippet.js"))).openEmbed(state.table));
  const resign = item(
    "ui-flag",
    t("Give up"),
    async () => (await confirm(t("Give up this game? Your pirates stay where they are."), t("Give up"))) && onResign(),
  );
  const leave = item("ui-close", t("Leave this game for good"), onLeave);
  const replay = el("a", { class: "menu-item" }, icon("ui", "ui-log"), el("span", {}, t("Replay so far")));
  const rules = el(
    "a",
    { class: "menu-item", href: "/rules", target: "_blank", rel: "noopener" },
    icon("ui", "ui-help"),
    el("span", {}, t("Rules")),
  );
  const terms = el("ul", {});
  const options = el("details", { class: "menu-keys menu-terms" }, el("summary", {}, t("The rules of this table")), terms);
  options.addEventListener("toggle", () => options.open && showTerms());
  // a short phone shows no header: the way out is here
  const lobby = el("a", { class: "menu-item", href: "/" }, icon("ui", "ui-anchor"), el("span", {}, t("To the lobby")));
  const help = item("ui-help", t("Keys"), openKeys);
  const body = el(
    "div",
    { class: "menu-body" },
    sound,
    vibration,
    el(
      "label",
      { class: "menu-item", for: "countdown" },
      icon("ui", "ui-hourglass"),
      el("span", {}, t("End my turn")),
      countdown,
    ),
    el("label", { class: "menu-item", for: "pace" }, icon("ui", "ui-skip"), el("span", {}, t("Pace of the game")), pace),
    hint,
    pause,
    chat,
    hosts,
    device,
    embed,
    replay,
    options,
    rules,
    lobby,
    help,
    leave,
    resign,
  );
  const box = el(
    "details",
    { class: "table-menu" },
    el("summary", { class: "button button-small" }, icon("ui", "ui-menu"), el("span", {}, t("Table"))),
    body,
  );
  root.append(box);
  let state = null;

  /** The host may hand the role to any other person at the table, at any time. */
  function showHosts({ table, you, view }) {
    const others =
      view && you.person && table.host === you.person
        ? table.seats.map((info, seat) => ({ ...info, seat })).filter(({ person, bot }) => person && !bot && person !== you.person)
        : [];
    const key = JSON.stringify(others.map(({ seat, name }) => [seat, name]));
    if (hosts.dataset.key === key) return;
    hosts.dataset.key = key;
    hosts.hidden = others.length === 0;
    hosts.replaceChildren(
      ...others.map(({ seat, name }) => item("ui-helm", t("Make {name} host", { name }), () => send({ do: "host", seat }))),
    );
  }

  /** What was chosen for this table; the words for it are loaded by whoever wants to read them. */
  async function showTerms() {
    const { optionLines } = await rare(import("./option_text.js"));
    const lines = [presetName(state.table.options.preset), ...optionLines(state.table)];
    terms.replaceChildren(...lines.map((line) => el("li", {}, line)));
  }

  /** The ways to a big screen, loaded by whoever looks for them. */
  async function showScreenWays() {
    const { screenWays } = await rare(import("./hand_layout.js"));
    device.after(...screenWays(state.table.id, item));
  }

  /** A switch for what a person prefers. */
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
  box.addEventListener("toggle", () => switches.forEach((show) => show())); // sound may have been answered elsewhere
  box.addEventListener("toggle", showScreenWays, { once: true });
  body.addEventListener(
    "click",
    (event) => event.target.closest("button") && !event.target.closest(".menu-switch") && (box.open = false),
  );
  addEventListener("pointerdown", (event) => !box.contains(event.target) && (box.open = false));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.open) return;
    event.stopPropagation();
    box.open = false;
    box.firstElementChild.focus();
  });

  return {
    update(next) {
      state = next;
      // It can be chosen elsewhere, too.
      pace.value = pref("pace");
      const { table, you, view } = state;
      const playing = table.status === "running" && you.seat !== null && view && !view.players[you.seat]?.resigned;
      hint.hidden = !playing || !table.hints || !state.choices.length;
      pause.hidden = !playing || table.paused;
      resign.hidden = !playing;
      leave.hidden = !playing || table.seats.some(({ person }, seat) => person && seat !== you.seat);
      device.hidden = !you.person;
      chat.hidden = !you.person || table.host !== you.person;
      showHosts(state);
      chat.querySelector("span").textContent = table.chat_closed ? t("Open the chat") : t("Close the chat");
      embed.hidden = table.locked || !table.spectators;
      rules.href = rulesPage(table.options);
      replay.href = `/g/${encodeURIComponent(table.id)}/replay`;
      replay.hidden = !view;
      if (table.trial) for (const each of [pause, resign, leave, device, chat, replay, embed]) each.hidden = true; // nothing is at stake
    },
  };
}
