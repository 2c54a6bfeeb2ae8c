// The action tray: a hint, the choices that fit the selection, and the buttons to end the turn and undo.

/** @import {Action, ActionType, Choice, GameState, State} from "../core/types.d.ts" */

import { el, targetOf } from "../core/dom.js";
import { describePending } from "../core/event_text.js";
import { t, tn, withWholeCatalogue } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { loadOnce } from "../core/load_once.js";
import { seatName } from "../core/names.js";
import { announce } from "./announce.js";
import { ChoiceButton, describeChoice, describeSelection, describeTurn } from "./choice_text.js";
import { CONNECTION_STATES } from "./connection.js";
import { pref } from "./preferences.js";
import { choiceOfType, offers } from "./selection.js";

/**
 * Tray(root, {onAction(action), onUndo(), onClear(), onHint()}) -> {update(state), stop(), focusEnd(), element}
 * @param {HTMLElement} root
 * @param {{ onAction: (action: Action) => void, onUndo: () => void, onClear: () => void, onHint: () => void }} options
 */
export function Tray(root, { onAction, onUndo, onClear, onHint }) {
  const hint = el("p", { class: "tray-hint", id: "tray-hint" });
  const choices = el("div", { class: "choices", role: "group", "aria-label": t("Possible actions") });
  const end = el("button", {
    type: "button",
    class: "button button-main end-turn",
    onclick: endTurn,
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
  const askHint = el(
    "button",
    { type: "button", class: "button button-small ask-hint", onclick: onHint },
    icon("ui", "ui-lantern"),
    el("span", {}, t("Hint")),
  );
  const more = el("button", {
    type: "button",
    class: "button button-small more-choices",
    "aria-expanded": "false",
    hidden: true,
  });
  const loadMore = loadOnce(() =>
    import("./more_choices.js").then(({ MoreChoices }) => MoreChoices(root, choices, more)),
  );
  root.append(hint, choices, el("div", { class: "tray-buttons" }, more, putBack, askHint, undo, extra, end));
  /** @type {GameState} Set by the first update. */
  let state;
  let timer = 0;
  let secondsLeft = 0;
  let shown = "";
  // The last sentence that was not about an unsent action.
  let asked = "";
  /** @type {typeof import("./hint_text.js").describeHint | null} */
  let hintText = null;

  // The number of actions left about which the player was asked after pressing "End turn"; 0 if not asked.
  let askedAbout = 0;

  const countActionsLeft = () => state.view.options.actions - state.view.turn.taken;

  /** End the turn. With actions left the first press only asks, because there is no way back. */
  function endTurn() {
    const left = countActionsLeft();
    if (isOnlyEnd(state.choices) || left < 1 || left === askedAbout) {
      act("end");
      return;
    }
    askedAbout = left;
    labelEnd();
    announce(end.textContent ?? "");
  }

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
    let words = t("End turn");
    if (secondsLeft) words = tn("End turn in {n} second", "End turn in {n} seconds", secondsLeft);
    else if (askedAbout) words = tn("Skip {n} action?", "Skip {n} actions?", askedAbout);
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
   * Return the sentence for an action that cannot be sent now; null if the connection is open. It is empty if the page must
   * be reloaded, which the banner says: the action is never sent then.
   * @param {State} state
   */
  function unsentText({ connection }) {
    if (connection === "offline")
      return t("You're offline. Your move will be sent when the connection is back.");
    if (connection === "lost" || connection === "restarting")
      return t("The server can't be reached. Your move will be sent when the connection is back.");
    return CONNECTION_STATES[connection]?.reload ? "" : null;
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
    if (candidates && state.hint) return hintText ? hintText(state.hintWhy) : "";
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
    const now = JSON.stringify([list, more, view.sloop]);
    if (now === shown) return;
    shown = now;
    choices.classList.remove("expanded");
    choices.scrollTo(0, 0);
    choices.replaceChildren(
      ...list.map((choice) => ChoiceButton(choice, view, table.seats, ({ action }) => onAction(action))),
    );
    extra.replaceChildren(
      ...more.map((choice) => {
        const { text, cost } = describeChoice(choice, view, table.seats);
        return el(
          "button",
          {
            type: "button",
            class: "button button-small extra",
            "data-explains": choice.action.type,
            onclick: () => onAction(choice.action),
          },
          icon("ui", choice.action.type === "sail" ? "ui-anchor" : "ui-cards"),
          el("span", { class: "choice-words" }, el("span", {}, text), cost ? el("small", {}, cost) : null),
        );
      }),
    );
  }

  /** Count the choices that do not fit. */
  async function countHidden() {
    if (choices.hidden || choices.children.length < 2) {
      more.hidden = true;
      return;
    }
    (await loadMore()).count();
  }

  /** Load the texts of hints with the first one. */
  async function loadHintText() {
    hintText = (await withWholeCatalogue(import("./hint_text.js"))).describeHint;
    update(state);
  }

  /** @param {GameState} next */
  function update(next) {
    state = next;
    if (!state.choices.length || countActionsLeft() !== askedAbout) askedAbout = 0;
    if (state.hint && !hintText) loadHintText();
    const { view, table, selection, candidates } = state;
    // The next choices are not known yet.
    if (!state.isWaiting) asked = trayText(state);
    const words = (state.isWaiting ? unsentText(state) : null) ?? asked;
    if (hint.textContent !== words) {
      hint.textContent = words;
      if (state.choices.length) announce(words);
    }
    const list = sortPowersFirst(candidates ?? offers(state.choices, selection).list);
    showButtons(list);
    choices.hidden = list.length === 0;
    countHidden();
    askHint.hidden =
      !table.hints ||
      !state.choices.length ||
      isOnlyEnd(state.choices) ||
      Boolean(candidates) ||
      selection.card !== undefined ||
      selection.from !== undefined;
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
    root.classList.toggle("hinted", Boolean(candidates && state.hint));
  }

  /** Take back what "End turn" is about to do. */
  function calm() {
    askedAbout = 0;
    stop();
  }
  addEventListener("pointerdown", (event) => end.contains(targetOf(event)) || calm());
  addEventListener("keydown", (event) => event.key === "Escape" && calm());

  return { update, stop, focusEnd: () => end.focus(), element: root };
}
