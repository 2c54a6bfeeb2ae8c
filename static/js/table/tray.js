// The tray: what you can do now in words, the choices that fit what is selected, and the buttons that end or undo.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { announce } from "./announce.js";
import { choiceButton, inWords } from "./choice_text.js";
import { offers, single } from "./selection.js";
import { cardName, placeAt, seatName } from "../core/names.js";
import { pendingText } from "../core/event_text.js";
import { hintText } from "./hint_text.js";
import { pref } from "./preferences.js";
import { t, tn } from "../core/i18n.js";

/** Tray(root, {onAction(action), onUndo(), onClear()}) -> {update(state), stop()} */
export function Tray(root, { onAction, onUndo, onClear }) {
  const hint = el("p", { class: "tray-hint", id: "tray-hint" });
  const choices = el("div", { class: "choices", role: "group", "aria-label": t("What fits") });
  const end = el("button", { type: "button", class: "button button-main end-turn", onclick: () => act("end") });
  const undo = el(
    "button",
    { type: "button", class: "button button-small", onclick: onUndo },
    icon("ui", "ui-undo"),
    el("span", {}, t("Undo")),
  );
  undo.classList.add("undo");
  const extra = el("span", { class: "tray-extra" });
  const drop = el(
    "button",
    { type: "button", class: "button button-small", onclick: onClear },
    icon("ui", "ui-close"),
    el("span", {}, t("Put back")),
  );
  drop.classList.add("put-back");
  root.append(hint, choices, el("div", { class: "tray-buttons" }, drop, undo, extra, end)); // as they lie on screen
  let state = null;
  let timer = 0;
  let counting = 0;
  let shown = "";

  function act(type) {
    const choice = single(state.choices, type);
    if (choice) onAction(choice.action);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    counting = 0;
    labelEnd();
  }

  function labelEnd() {
    const words = counting ? tn("End turn in {n} second", "End turn in {n} seconds", counting) : t("End turn");
    end.replaceChildren(icon("ui", "ui-done"), words);
  }

  /** After the last action the turn may end by itself, for those who like it so; any key or press elsewhere stops it. */
  function countDown(onlyEnd) {
    if (!onlyEnd || !pref("countdown")) return stop();
    if (timer) return undefined;
    counting = pref("countdown");
    labelEnd();
    timer = setInterval(() => {
      counting -= 1;
      if (counting > 0) return labelEnd();
      stop();
      return act("end");
    }, 1000);
    return undefined;
  }

  function trayText({ view, table, you, selection, ask }) {
    if (table.status !== "running" || view.winner !== null) return "";
    if (mustAnswer(state)) return "";
    if (view.pending) return pendingText(view.pending, table.seats);
    if (you.seat === null)
      return t("You are watching. {name} is in turn.", { name: seatName(table.seats, view.turn.seat) });
    if (table.seats[you.seat]?.bot) return t("A bot plays your seat for now.");
    if (!state.choices.length) return t("{name} is in turn.", { name: seatName(table.seats, view.turn.seat) });
    if (ask && state.hint) return hintText(state.hintWhy);
    if (ask) return t("Which of these?");
    if (selection.card && selection.from !== undefined) return t("Which of these?");
    if (selection.card) return t("Now a pirate for {card}, or put the card back.", { card: cardName(selection.card) });
    if (selection.from !== undefined)
      return t("Now a lit place or a card for the pirate {at}.", { at: placeAt(view, selection.from) });
    if (onlyEnd(state.choices)) return t("Nothing more to do: end your turn.");
    const left = view.options.actions - view.turn.taken;
    return tn(
      "Your turn: {n} action left. Choose a card or a pirate.",
      "Your turn: {n} actions left. Choose a card or a pirate.",
      left,
    );
  }

  /** What a card can do besides walking would otherwise stand below its many ways. */
  const powersFirst = (list) => list.toSorted((a, b) => Number(isWalk(a)) - Number(isWalk(b)));
  const isWalk = ({ action: { type } }) => ["advance", "retreat", "parrot"].includes(type);

  const onlyEnd = (list) => list.length === 1 && list[0].action.type === "end";
  const mustAnswer = ({ choices: list }) =>
    list.some(({ action }) => ["steal", "share", "stack", "discard"].includes(action.type));

  /** Made anew only when they change: a chat line or somebody's coming and going must not take the focus away. */
  function showButtons(list) {
    const { view, table } = state;
    const more = ["sail", "draw"].map((type) => single(state.choices, type)).filter(Boolean);
    const now = JSON.stringify([list, more, view.sloop, state.hint]);
    if (now === shown) return;
    shown = now;
    choices.replaceChildren(
      ...list.map((choice) => choiceButton(choice, view, table.seats, ({ action }) => onAction(action), state.hint && hintText(state.hintWhy))),
    );
    extra.replaceChildren(
      ...more.map((choice) => {
        const { text, price } = inWords(choice, view, table.seats);
        return el(
          "button",
          { type: "button", class: "button button-small extra", onclick: () => onAction(choice.action) },
          icon("ui", choice.action.type === "sail" ? "ui-anchor" : "ui-cards"),
          el("span", { class: "choice-words" }, el("span", {}, text), price ? el("small", {}, price) : null),
        );
      }),
    );
  }

  function update(next) {
    state = next;
    const { view, table, selection, ask } = state;
    const words = state.isWaiting ? hint.textContent : trayText(state); // what comes next is not known yet
    if (hint.textContent !== words) {
      hint.textContent = words;
      if (state.choices.length) announce(words);
    }
    const list = powersFirst(ask ?? offers(state.choices, selection).list);
    showButtons(list.slice(0, 40));
    choices.hidden = list.length === 0;
    drop.hidden = selection.card === undefined && selection.from === undefined;
    undo.hidden = !state.undo || mustAnswer(state);
    const ends = single(state.choices, "end");
    end.hidden = !ends;
    end.classList.toggle("quiet", Boolean(ends) && !onlyEnd(state.choices));
    countDown(Boolean(ends) && onlyEnd(state.choices));
    if (!timer) labelEnd();
    root.hidden = table.status !== "running" || view.winner !== null || mustAnswer(state);
    root.classList.toggle("mine", state.choices.length > 0);
    root.classList.toggle("choosing", !drop.hidden);
  }

  addEventListener("pointerdown", (event) => timer && !end.contains(event.target) && stop());
  addEventListener("keydown", (event) => timer && event.key === "Escape" && stop());

  return { update, stop, focusEnd: () => end.focus(), element: root };
}
