// The action tray: a hint, the choices that fit the selection, and the buttons to end the turn and undo.

/** @import {Action, ActionType, Choice, GameState, State} from "../core/types.d.ts" */

import { el, targetOf } from "../core/dom.js";
import { describePending } from "../core/event_text.js";
import { t, tn, withWholeCatalogue } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { seatName } from "../core/names.js";
import { announce } from "./announce.js";
import { ChoiceButton, describeChoice, describeSelection, describeTurn } from "./choice_text.js";
import { pref } from "./preferences.js";
import { choiceOfType, offers } from "./selection.js";

/**
 * Tray(root, {onAction(action), onUndo(), onClear()}) -> {update(state), stop(), focusEnd(), element}
 * @param {HTMLElement} root
 * @param {{ onAction: (action: Action) => void, onUndo: () => void, onClear: () => void }} options
 */
export function Tray(root, { onAction, onUndo, onClear }) {
  const hint = el("p", { class: "tray-hint", id: "tray-hint" });
  const choices = el("div", { class: "choices", role: "group", "aria-label": t("Possible actions") });
  const end = el("button", {
    type: "button",
    class: "button button-main end-turn",
    onclick: () => act("end"),
  });
  const undo = el(
    "button",
    { type: "button", class: "button button-small", onclick: onUndo },
    icon("ui", "ui-undo"),
    el("span", {}, t("Undo")),
  );
  undo.classList.add("undo");
  const extra = el("span", { class: "tray-extra" });
  const putBack = el(
    "button",
    { type: "button", class: "button button-small", onclick: onClear },
    icon("ui", "ui-close"),
    el("span", {}, t("Put back")),
  );
  putBack.classList.add("put-back");
  root.append(hint, choices, el("div", { class: "tray-buttons" }, putBack, undo, extra, end));
  /** @type {GameState} Set by the first update. */
  let state;
  let timer = 0;
  let secondsLeft = 0;
  let shown = "";
  /** @type {typeof import("./hint_text.js").describeHint | undefined} */
  let describeHint;

  /** @param {ActionType} type */
  function act(type) {
    const choice = choiceOfType(state.choices, type);
    if (choice) onAction(choice.action);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    secondsLeft = 0;
    labelEnd();
  }

  function labelEnd() {
    const words = secondsLeft
      ? tn("End turn in {n} second", "End turn in {n} seconds", secondsLeft)
      : t("End turn");
    end.replaceChildren(icon("ui", "ui-done"), words);
  }

  /**
   * Count down to the end of the turn after the last action, if the player wants that. Escape or a click elsewhere stops
   * it.
   * @param {boolean} onlyEnd
   */
  function countDown(onlyEnd) {
    if (!onlyEnd || !pref("countdown")) return stop();
    if (timer) return undefined;
    secondsLeft = pref("countdown");
    labelEnd();
    timer = setInterval(() => {
      secondsLeft -= 1;
      if (secondsLeft > 0) return labelEnd();
      stop();
      return act("end");
    }, 1000);
    return undefined;
  }

  /**
   * Return the sentence of a hint; "" until its module is loaded, which then updates the tray.
   * @param {Pick<State, "hintWhy">} state
   */
  function hintSentence({ hintWhy }) {
    if (describeHint) return describeHint(hintWhy);
    withWholeCatalogue(import("./hint_text.js")).then((module) => {
      if (describeHint) return;
      ({ describeHint } = module);
      shown = "";
      update(state);
    });
    return "";
  }

  /** @param {GameState} state */
  function trayText({ view, table, you, selection, candidates }) {
    if (table.status !== "running" || view.winner !== null) return "";
    if (isAnswerPending(state)) return "";
    if (view.pending) return describePending(view.pending, table.seats);
    const turnText = t("It's {name}'s turn.", { name: seatName(table.seats, view.turn.seat) });
    if (you.seat === null) return `${t("You are watching.")} ${turnText}`;
    if (table.seats[you.seat]?.bot) return t("A bot is playing for you.");
    if (!state.choices.length) return table.paused ? t("The game is paused.") : turnText;
    if (candidates && state.hint) return hintSentence(state);
    if (candidates) return t("Which of these do you want?");
    if (selection.card && selection.from !== undefined) return t("Which of these do you want?");
    if (selection.card || selection.from !== undefined) return describeSelection(state);
    if (isOnlyEnd(state.choices)) return t("There is nothing more to do: end your turn.");
    return describeTurn(state);
  }

  /**
   * Put powers before walks, which are numerous.
   * @param {Choice[]} list
   */
  const sortPowersFirst = (list) => list.toSorted((a, b) => Number(isWalk(a)) - Number(isWalk(b)));
  /** @param {Choice} choice */
  const isWalk = ({ action: { type } }) => ["advance", "retreat", "parrot"].includes(type);

  /** @param {Choice[]} list */
  const isOnlyEnd = (list) => list.length === 1 && list[0].action.type === "end";
  /** @param {Pick<State, "choices">} state */
  const isAnswerPending = ({ choices: list }) =>
    list.some(({ action }) => ["steal", "share", "stack", "discard"].includes(action.type));

  /**
   * Show the buttons. They are redrawn only if they change, so that unrelated updates do not take the focus.
   * @param {Choice[]} list
   */
  function showButtons(list) {
    const { view, table } = state;
    const more = /** @type {ActionType[]} */ (["sail", "draw"])
      .map((type) => choiceOfType(state.choices, type))
      .filter((choice) => choice !== undefined);
    const now = JSON.stringify([list, more, view.sloop, state.hint]);
    if (now === shown) return;
    shown = now;
    choices.replaceChildren(
      ...list.map((choice) =>
        ChoiceButton(
          choice,
          view,
          table.seats,
          ({ action }) => onAction(action),
          state.hint && hintSentence(state),
        ),
      ),
    );
    extra.replaceChildren(
      ...more.map((choice) => {
        const { text, cost } = describeChoice(choice, view, table.seats);
        return el(
          "button",
          { type: "button", class: "button button-small extra", onclick: () => onAction(choice.action) },
          icon("ui", choice.action.type === "sail" ? "ui-anchor" : "ui-cards"),
          el("span", { class: "choice-words" }, el("span", {}, text), cost ? el("small", {}, cost) : null),
        );
      }),
    );
  }

  /** @param {GameState} next */
  function update(next) {
    state = next;
    const { view, table, selection, candidates } = state;
    // The next choices are not known yet.
    const words = state.isWaiting ? hint.textContent : trayText(state);
    if (hint.textContent !== words) {
      hint.textContent = words;
      if (state.choices.length) announce(words);
    }
    const list = sortPowersFirst(candidates ?? offers(state.choices, selection).list);
    showButtons(list.slice(0, 40));
    choices.hidden = list.length === 0;
    putBack.hidden = selection.card === undefined && selection.from === undefined;
    undo.hidden = !state.undo || isAnswerPending(state);
    const ends = choiceOfType(state.choices, "end");
    end.hidden = !ends;
    end.classList.toggle("quiet", Boolean(ends) && !isOnlyEnd(state.choices));
    countDown(Boolean(ends) && isOnlyEnd(state.choices));
    if (!timer) labelEnd();
    root.hidden = table.status !== "running" || view.winner !== null || isAnswerPending(state);
    root.classList.toggle("mine", state.choices.length > 0);
    root.classList.toggle("choosing", !putBack.hidden);
  }

  addEventListener("pointerdown", (event) => timer && !end.contains(targetOf(event)) && stop());
  addEventListener("keydown", (event) => timer && event.key === "Escape" && stop());

  return { update, stop, focusEnd: () => end.focus(), element: root };
}
