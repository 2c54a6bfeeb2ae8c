// One more game with the same company: everything behind the Rematch button. Whoever presses it is seated and ready at
// the next table. Against bots alone that game begins at once; among people when all have pressed, or a while after two
// have. Whoever watched is led there, and a password that let them in here lets them in there.

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { seatName } from "../core/names.js";
import { keepPassword } from "../core/room_password.js";

const pageOf = (game) => `/g/${encodeURIComponent(game)}`;

/** Seats with what each has won of the series, one's own first; null where nothing is counted. */
function won({ table, you }) {
  const wins = table.series?.wins;
  if (!wins) return null;
  const seats = wins.map((count, seat) => ({ name: seatName(table.seats, seat), count, seat }));
  return [...seats.filter(({ seat }) => seat === you.seat), ...seats.filter(({ seat }) => seat !== you.seat)];
}

/** "Ann 3 – 2 Bo", or with more players each name and number; null where nothing is counted. */
export function scoreLine(state) {
  const seats = won(state);
  if (!seats) return null;
  const [one, other] = seats;
  const words =
    seats.length === 2
      ? [`${one.name} `, el("b", {}, `${one.count} – ${other.count}`), ` ${other.name}`]
      : seats.flatMap(({ name, count }, at) => [at ? " · " : "", `${name} `, el("b", {}, String(count))]);
  return el("p", { class: "score", "aria-label": t("Games won") }, ...words);
}

/**
 * Rematch({ask(), refuse(sentence)}) -> {score, way, update(state)}
 * `ask` sends the command; `way` holds the button (or the way there for who watched), `score` the games won so far.
 * Both are made once and change by themselves.
 */
export function Rematch({ ask, refuse }) {
  const score = el("div", { class: "rematch-score" });
  const way = el("div", { class: "rematch-way" });
  let state = null;
  let isUnderWay = false;
  let drawn = "";

  async function go(game) {
    const { isOn, keep } = await import("./hand_layout.js");
    if (isOn()) keep(game, true); // the board goes on to the next table on its big screen
    if (state.password) keepPassword(game, state.password);
    location.assign(pageOf(game));
  }

  /** Seated and ready there, if that is still possible; else the page of that table says what there is to do. */
  async function takeSeat(game) {
    const { begin, beReady, isForOne, sitAt, tableOf } = await import("../core/sitting.js");
    const table = await tableOf(game);
    if (table.status !== "open" || table.opening) return;
    await sitAt(game, { commitment: state.table.next_commitment ?? table.commitment, scheme: table.scheme });
    await (isForOne(table) ? begin(game) : beReady(game));
  }

  async function press() {
    if (isUnderWay) return;
    isUnderWay = true;
    draw();
    try {
      if (!state.table.next) await ask();
      const game = state.table.next;
      if (!game) return; // refused, and said so
      await takeSeat(game).catch((problem) => {
        if (!(problem.status >= 400 && problem.status < 429)) throw problem;
      });
      go(game);
    } catch (problem) {
      if (problem.status === undefined) throw problem; // no refusal, but a fault of this page
      refuse(problem.message);
    } finally {
      isUnderWay = false;
      draw();
    }
  }

  function button() {
    const main = { type: "button", class: "button button-main rematch", onclick: press };
    return el("button", { ...main, disabled: isUnderWay, "aria-busy": isUnderWay ? "true" : null }, t("Rematch"));
  }

  /** Among people: what the others wait for. */
  function note({ seats, next }) {
    if (seats.filter(({ person }) => person).length < 2) return null;
    const words = next
      ? t("The others wait for you at the new table.")
      : t("It begins when everybody wants it, or 30 seconds after two do.");
    return el("small", { class: "rematch-note" }, words);
  }

  function ways({ table, you }) {
    if (you.seat !== null) return [button(), note(table)];
    if (!table.next) return [];
    const follow = (event) => {
      event.preventDefault();
      go(table.next);
    };
    return [el("a", { class: "button button-main", href: pageOf(table.next), onclick: follow }, t("Watch the next game"))];
  }

  function draw() {
    const { table, you } = state;
    const key = JSON.stringify([table.next, table.series, table.seats, you.seat, isUnderWay]);
    if (key === drawn) return;
    drawn = key;
    const hadFocus = way.contains(document.activeElement);
    way.replaceChildren(...ways(state).filter(Boolean));
    score.replaceChildren(...[scoreLine(state)].filter(Boolean));
    if (hadFocus) way.firstElementChild?.focus();
  }

  return {
    score,
    way,
    update(next) {
      state = next;
      draw();
    },
  };
}
