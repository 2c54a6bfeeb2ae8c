// Turn notices for a correspondence game: offered once per person, with a switch in the menu.
import { get, put } from "../core/api.js";
import { el, find } from "../core/dom.js";
import { language, t } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { canPush, isPushOn, needsInstalling, subscribe } from "../core/push.js";

/** @typedef {{ effective?: Record<string, boolean>, switches: Record<string, boolean> }} GameWishes */

// the person who answered in this browser
const ANSWERED_KEY = "tell-me";

/**
 * Add the switch to the menu, and show the offer above the board unless it was answered.
 * @param {{ game: string, root: HTMLElement, refuse: (text: string) => void }} parts
 */
export async function offerTurnNotices({ game, root, refuse }) {
  if (!canPush() && !needsInstalling()) return;
  const path = `/me/notices/games/${encodeURIComponent(game)}`;
  const [settings, { person }] = await Promise.all([get(path), get("/me")]).catch(() => [null, {}]);
  if (!settings || !person) return;
  /** @param {GameWishes} wishes */
  // `effective` merges the settings of this game with those of all games.
  const wishesOf = ({ effective, switches }) => effective ?? switches;
  let wishes = wishesOf(settings);
  const isThisDeviceOn = () => isPushOn(person.id);
  const isWanted = () => isThisDeviceOn() && wishes.turn !== false;

  const words = el("span", {}, t("Notify me when it is my turn"));
  const button = el(
    "button",
    { type: "button", class: "menu-item menu-switch is-ticked", onclick: () => choose(!isWanted()) },
    icon("ui", "ui-hourglass"),
    words,
  );
  const show = () => button.setAttribute("aria-pressed", String(isWanted()));
  button.hidden = !canPush();
  // Until the menu is opened, it has no groups; it moves the switch into this one.
  (root.querySelector(".menu-settings") ?? root.querySelector(".menu-body"))?.append(button);
  show();

  /** @param {boolean} isOn */
  async function choose(isOn) {
    try {
      if (isOn && !isThisDeviceOn() && !(await subscribe())) {
        refuse(
          t("This browser does not allow notifications from this site. You can change that in its settings."),
        );
        return;
      }
      wishes = wishesOf(await put(path, { switches: { turn: isOn, time: isOn }, language: language() }));
    } catch (problem) {
      refuse(/** @type {Error} */ (problem).message);
    }
    show();
  }

  if (
    isThisDeviceOn() ||
    localStorage.getItem(ANSWERED_KEY) === person.id ||
    (canPush() && Notification.permission === "denied")
  )
    return;
  /** @param {boolean} isAccepted */
  const answer = (isAccepted) => {
    localStorage.setItem(ANSWERED_KEY, person.id);
    offer.remove();
    if (isAccepted) choose(true);
  };
  /**
   * @param {string} label
   * @param {boolean} isAccepted
   * @param {boolean} [main]
   */
  const AnswerButton = (label, isAccepted, main) =>
    el(
      "button",
      {
        type: "button",
        class: main ? "button button-small button-main" : "button button-small",
        onclick: () => answer(isAccepted),
      },
      label,
    );
  const sentence = canPush()
    ? t("This game goes on for days. Do you want a notification on this device when it is your turn?")
    : t(
        "On an iPhone or iPad, notifications need the installed app: share this page, choose “Add to Home Screen” and open it from there.",
      );
  const buttons = canPush()
    ? [AnswerButton(t("Notify me"), true, true), AnswerButton(t("Not now"), false)]
    : [AnswerButton(t("Not now"), false)];
  const offer = el(
    "div",
    { class: "banner", "data-key": "tell-me" },
    el("p", {}, sentence),
    el("span", { class: "banner-buttons" }, ...buttons),
  );
  find(".banners", root).append(offer);
}
