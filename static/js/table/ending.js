// The end: who won, kind words, the game in figures, and the ways on (one more, share, review). It comes when the map
// has had its moment. Whoever gives up while the others play on is told so here, and offered a new game.

import { mayMove, settleAll } from "../board/animate.js";
import { getFrom } from "../core/api.js";
import { el } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { installOffer } from "../core/install.js";
import { pirateIcon } from "../core/icons.js";
import { letterOf, lookOf, seatName } from "../core/names.js";
import { passwordHeader } from "../core/room_password.js";
import { points, signed } from "../core/points.js";
import { toast } from "../core/toast.js";
import { figuresOf, missing } from "./figures.js";

const NEAR = 14; // spaces: two good cards
const FAR = 60;

/** What is said to whoever did not win: who did, and how near it was. */
function kindWords({ view, you }) {
  const n = missing(view.options, view.players[you.seat]);
  const how = n <= NEAR ? t("So close!") : n <= FAR ? t("Well sailed.") : t("The wind was with the others this time.");
  const left = tn("{n} space was missing to bring all your pirates home.", "{n} spaces were missing to bring all your pirates home.", n);
  return `${how} ${left}`;
}

/** {heading, words} for this person. */
function verdict(state) {
  const { table, view, you } = state;
  const { winner, reason } = table.result ?? { winner: view.winner, reason: "" };
  const gaveUp = you.seat !== null && view.players[you.seat].resigned;
  const name = winner === null ? "" : seatName(table.seats, winner);
  if (table.status === "running")
    return { heading: t("You have given up."), words: t("The others play on. You can watch them, or begin a new game.") };
  if (gaveUp) return { heading: t("You have given up."), words: winner === null ? t("The game is over.") : t("{name} has won!", { name }) };
  if (winner === null)
    return { heading: reason === "resigned" ? t("Everybody has given up.") : t("The game was ended without a winner."), words: "" };
  if (winner === you.seat)
    return { heading: t("You have won!"), words: reason === "resigned" ? t("Everybody else gave up.") : t("All pirates have escaped.") };
  const heading = t("{name} has won!", { name });
  if (you.seat === null) return { heading, words: reason === "goal" ? t("All pirates have escaped.") : "" };
  return { heading, words: kindWords(state) };
}

function ranking({ table }) {
  const places = (table.result?.places ?? []).map((place, seat) => ({ place, seat })).sort((a, b) => a.place - b.place);
  return el(
    "ol",
    { class: "ranking" },
    ...places.map(({ place, seat }) => {
      const look = lookOf(table.seats, seat);
      return el("li", { value: place }, pirateIcon(look, letterOf(look)), el("span", {}, seatName(table.seats, seat)));
    }),
  );
}

/** The game in figures; they are filled in as they come: what was seen of it, then the bot's opinion, which takes a moment. */
function Figures({ table, view, you, password }) {
  const headers = passwordHeader(password);
  const ask = (url) => getFrom(url, headers).catch(() => null); // the card is whole without it; the review says why
  const game = encodeURIComponent(table.id);
  const names = { turns: t("Turns"), drawn: t("Cards drawn"), jump: t("Longest jump"), luck: t("Luck"), loss: t("Given away") };
  const values = Object.fromEntries(Object.keys(names).map((key) => [key, el("dd", {}, "…")]));
  const rows = Object.keys(names).map((key) => el("div", {}, el("dt", {}, names[key]), values[key]));

  function fill(found) {
    for (const [key, value] of Object.entries(found)) values[key].textContent = value;
  }

  function leaveOut(...keys) {
    for (const key of keys) values[key].parentElement.remove();
  }

  ask(`/g/${game}/seen`).then((seen) => {
    if (!seen) return leaveOut("turns", "drawn", "jump");
    const { turns, drawn, jump } = figuresOf(seen.steps, you.seat, view.options);
    return fill({ turns, drawn, jump: tn("{n} space", "{n} spaces", jump) });
  });
  Promise.resolve(table.deal ? null : ask(`/api/v1/games/${game}/review`)).then((review) => {
    if (!review) return leaveOut("luck", "loss");
    return fill({ luck: signed(review.luck[you.seat]), loss: points(review.loss[you.seat]) });
  });
  return el("dl", { class: "ending-figures" }, ...rows);
}

/** The sheet of the phone, or the link in the clipboard. */
async function share(table, heading) {
  const url = `${location.origin}/g/${encodeURIComponent(table.id)}/replay`;
  if (navigator.share) {
    await navigator.share({ title: "Cartagena", text: heading, url }).catch((problem) => {
      if (problem.name !== "AbortError") toast(url); // whoever closed the sheet wants nothing
    });
    return;
  }
  const isCopied = await navigator.clipboard?.writeText(url).then(() => true, () => false);
  toast(isCopied ? t("The link is copied.") : url);
}

const isOver = ({ status }) => status === "finished" || status === "aborted";

/** Ending(root, {rematch}) -> {update(state, events), show()}; `rematch` is that of rematch.js. */
export function Ending(root, { rematch }) {
  let drawn = "";
  let isHeld = false; // the map's moment comes first

  function ways(state, heading) {
    const { table, you } = state;
    const here = `/g/${encodeURIComponent(table.id)}`;
    const link = (href, words, kind = "") => el("a", { class: `button ${kind}`, href }, words);
    const fresh = link(`/new?preset=${encodeURIComponent(table.options.preset)}`, t("A new game"), "button-main new-game");
    if (!isOver(table)) return [el("div", { class: "ending-ways" }, fresh, link("/", t("To the lobby")))];
    if (table.deal) return [el("div", { class: "ending-ways" }, link(`/deal/${table.deal}`, t("The deal of the day"), "button-main"), link("/", t("To the lobby")))];
    if (table.trial) {
      const at = `?step=${table.trial.step}`;
      return [el("div", { class: "ending-ways" }, link(`${here}/try${at}`, t("Try again"), "button-main"), link(`${here}/review${at}`, t("Back to the review")))];
    }
    const gaveUp = you.seat !== null && state.view.players[you.seat].resigned;
    return [
      el(
        "div",
        { class: "ending-ways" },
        you.seat === null ? null : el("span", { class: "one-more" }, t("One more?")),
        rematch.way,
        gaveUp ? link(fresh.getAttribute("href"), t("A new game"), "new-game") : null,
        table.result ? el("button", { type: "button", class: "button share", onclick: () => share(table, heading) }, t("Share")) : null,
        link(`${here}/review`, t("Review")),
      ),
      el(
        "p",
        { class: "ending-more" },
        el("a", { href: `${here}/replay` }, t("Replay")),
        el("a", { href: `${here}/fairness` }, t("Check the chance")),
        el("a", { href: "/" }, t("To the lobby")),
      ),
    ];
  }

  function draw(state) {
    const { table, you } = state;
    const { heading, words } = verdict(state);
    root.replaceChildren(
      ...[
        el("h2", { id: "ending-title", tabindex: "-1" }, heading),
        words ? el("p", { class: "ending-words" }, words) : null,
        isOver(table) ? ranking(state) : null,
        rematch.score,
        you.seat !== null && table.result && !table.trial ? Figures(state) : null,
        ...ways(state, heading),
        you.seat !== null && table.result && !table.trial ? installOffer() : null,
      ].filter(Boolean),
    );
  }

  function show() {
    isHeld = false;
    root.classList.remove("held");
    removeEventListener("pointerdown", settleAll);
    removeEventListener("keydown", settleAll);
    if (!root.hidden && document.activeElement === document.body) root.querySelector("h2")?.focus({ preventScroll: true });
  }

  /** The card waits for the map; a tap or a key brings it at once. */
  function hold() {
    isHeld = true;
    root.classList.add("held");
    addEventListener("pointerdown", settleAll);
    addEventListener("keydown", settleAll);
  }

  return {
    show,
    update(state, events = []) {
      const { table, view, you } = state;
      const gaveUp = table.status === "running" && you.seat !== null && view.players[you.seat].resigned;
      root.hidden = !isOver(table) && !gaveUp;
      root.classList.toggle("gave-up", gaveUp);
      if (isOver(table)) rematch.update(state);
      if (events.some(({ type }) => type === "game_won") && mayMove() && !isHeld) hold();
      const key = JSON.stringify([table.status, table.result, you.seat, gaveUp]);
      if (root.hidden || key === drawn) return;
      drawn = key;
      draw(state);
    },
  };
}
