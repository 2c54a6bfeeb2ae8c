// At a table over days: "tell me when it is my turn", offered once, and a switch for this game in the menu.
import { get, put } from "../core/api.js";
import { el } from "../core/dom.js";
import { language, t } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { begin, canPush, isOn, needsInstalling } from "../core/push.js";

const ANSWERED = "tell-me"; // who was asked in this browser; "1" by an older page

/** tellMe({game, root, refuse}): puts the switch into the menu, and the offer above the board where it was not answered. */
export async function tellMe({ game, root, refuse }) {
  if (!canPush() && !needsInstalling()) return;
  const path = `/me/notices/games/${encodeURIComponent(game)}`;
  const [told, { person }] = await Promise.all([get(path), get("/me")]).catch(() => [null, {}]);
  if (!told || !person) return;
  const wishesOf = ({ effective, switches }) => effective ?? switches; // of all games, and of this one before those
  let wishes = wishesOf(told);
  const isTold = () => isOn(person.id);
  const isWanted = () => isTold() && wishes.turn !== false;

  const words = el("span", {}, t("Tell me when it is my turn"));
  const button = el("button", { type: "button", class: "menu-item menu-switch", onclick: () => choose(!isWanted()) }, icon("ui", "ui-hourglass"), words);
  const show = () => button.setAttribute("aria-pressed", String(isWanted()));
  button.hidden = !canPush();
  root.querySelector(".menu-body")?.prepend(button);
  show();

  async function choose(wanted) {
    try {
      if (wanted && !isTold() && !(await begin())) {
        refuse(t("This browser does not allow notices from this site. Its settings can change that."));
        return;
      }
      wishes = wishesOf(await put(path, { switches: { turn: wanted, time: wanted }, language: language() }));
    } catch (problem) {
      refuse(problem.message);
    }
    show();
  }

  if (isTold() || [person.id, "1"].includes(localStorage.getItem(ANSWERED)) || (canPush() && Notification.permission === "denied")) return;
  const answer = (wanted) => {
    localStorage.setItem(ANSWERED, person.id);
    offer.remove();
    if (wanted) choose(true);
  };
  const press = (label, wanted, main) =>
    el("button", { type: "button", class: main ? "button button-small button-main" : "button button-small", onclick: () => answer(wanted) }, label);
  const sentence = canPush()
    ? t("This game goes on for days. Shall this device tell you when it is your turn?")
    : t("On an iPhone or iPad notices need the installed app: share this page, choose “Add to Home Screen” and open it from there.");
  const buttons = canPush() ? [press(t("Tell me"), true, true), press(t("Not now"), false)] : [press(t("Not now"), false)];
  const offer = el("div", { class: "banners" }, el("div", { class: "banner", "data-key": "tell-me" }, el("p", {}, sentence), el("span", { class: "banner-buttons" }, ...buttons)));
  root.querySelector(".banners").after(offer);
}
