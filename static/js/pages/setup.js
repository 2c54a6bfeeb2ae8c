// Setting up a position for the analysis board: pirates on the board, cards in hands, row and discards, the turn.
// The page edits a view with all hands; the server checks it and answers with its code.

/** @import {Card, Haven, Place, View} from "../core/types.d.ts" */

import { Board } from "../board/board.js";
import { postUrl, RefusedError } from "../core/api.js";
import { el, find, namedFields, setChildren, svg } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { pirateIcon, symbolIcon } from "../core/icons.js";
import { keepFocus } from "../core/keep_focus.js";
import { cardName, colourName, letterOf, SYMBOLS } from "../core/names.js";

const page = find("[data-setup]");
const BOARD_LENGTH = 6;
/** @type {HTMLSelectElement} */
const turnSelect = find("[data-turn]", page);
/** @type {HTMLSelectElement} */
const takenSelect = find("[data-taken]", page);
/** @type {HTMLSelectElement} */
const sloopSelect = find("[data-sloop]", page);

/** @type {View} Set by show(). */
let view;
/** @type {ReturnType<typeof Board>} */
let board;
// The player whose pirates are moved, the place of the chosen pirate, and the pile that receives cards.
let seat = 0;
/** @type {Place | null} */
let from = null;
let pile = "0";

/** @param {unknown} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  const notice = find("[data-problem]", page);
  notice.textContent = problem.message;
  notice.hidden = false;
  notice.scrollIntoView({ block: "nearest" });
}

/** @param {object} body */
async function load(body) {
  try {
    show((await postUrl("/analysis/play", body)).view);
  } catch (problem) {
    fail(problem);
  }
}

/** @param {View} next */
function show(next) {
  view = next;
  seat = 0;
  from = null;
  pile = "0";
  find("[data-problem]", page).hidden = true;
  find("[data-stage]", page).hidden = false;
  if (!board) {
    const picture = svg("svg");
    setChildren(find("[data-board]", page), picture);
    board = Board(picture, { onSpace: onPlace, seats: null });
  }
  const { preset, players, actions } = view.options;
  const fields = namedFields(find("[data-edition]", page));
  fields.preset.value = preset;
  fields.players.value = String(players);
  /** @param {number} n */
  const numbers = (n) => Array.from({ length: n }, (_, at) => at);
  setChildren(turnSelect, ...numbers(players).map((at) => el("option", { value: at }, colourName(at))));
  turnSelect.value = String(view.turn.seat);
  setChildren(takenSelect, ...numbers(actions + 1).map((n) => el("option", { value: n }, String(n))));
  takenSelect.value = String(view.turn.taken);
  find("[data-sloop-field]", page).hidden = view.sloop === null;
  sloopSelect.value = view.sloop ?? "cartagena";
  drawBoards();
  draw();
}

function draw() {
  board.set(view);
  board.mark(from === null ? { sources: [...new Set(view.players[seat].pirates)] } : { selected: from });
  const seats = find("[data-seats]", page);
  keepFocus(seats, () =>
    setChildren(
      seats,
      ...view.players.map((_, at) =>
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(at === seat),
            "data-key": `seat ${at}`,
            onclick: () => chooseSeat(at),
          },
          pirateIcon(at, letterOf(at)),
          colourName(at),
        ),
      ),
    ),
  );
  drawCards();
}

/** @param {number} at */
function chooseSeat(at) {
  seat = at;
  from = null;
  pile = String(at);
  draw();
}

/** @param {Place} place */
function onPlace(place) {
  if (from === null) {
    // Another player's pirate chooses that player.
    const owners = [seat, ...view.players.keys()];
    const owner = owners.find((at) => view.players[at].pirates.includes(place));
    if (owner === undefined) return;
    seat = owner;
    from = place;
  } else {
    const { pirates } = view.players[seat];
    if (place !== from) pirates[pirates.indexOf(from)] = place;
    from = null;
  }
  draw();
}

/** Return the cards of each pile by its name: a seat's number, "row" or "discard". */
function cardsByPile() {
  /** @type {[string, Card[]][]} */
  const piles = view.players.map((player, at) => [String(at), player.hand ?? []]);
  if (view.options.supply === "row") piles.push(["row", view.row]);
  piles.push(["discard", view.discard]);
  return piles;
}

/** @param {string} name */
function pileName(name) {
  if (name === "row") return t("Row");
  return name === "discard" ? t("Discards") : colourName(Number(name));
}

const drawCards = () => keepFocus(find("[data-cards]", page), drawPiles);

function drawPiles() {
  const { symbols, copies, scoundrels } = view.options;
  const piles = cardsByPile();
  const used = piles.flatMap(([, cards]) => cards);
  const kinds = SYMBOLS[symbols].flatMap((symbol) => (scoundrels ? [symbol, `${symbol}*`] : [symbol]));
  /** @param {Card} card */
  const left = (card) => {
    const dark = card.endsWith("*");
    const all = scoundrels ? (dark ? 2 : copies - 2) : copies;
    return all - used.filter((other) => other === card).length;
  };
  const target = /** @type {[string, Card[]]} */ (piles.find(([name]) => name === pile));
  setChildren(
    find("[data-palette]", page),
    ...kinds.map((card) =>
      el(
        card.endsWith("*") ? "button.is-dark" : "button",
        {
          type: "button",
          disabled: left(card) <= 0,
          "data-key": card,
          title: tn("{card}: {n} in the deck", "{card}: {n} in the deck", left(card), {
            card: cardName(card),
          }),
          onclick: () => {
            target[1].push(card);
            drawCards();
          },
        },
        symbolIcon(card, "symbol"),
        el("span", { class: "hidden" }, cardName(card)),
        el("small", {}, String(left(card))),
      ),
    ),
  );
  setChildren(
    find("[data-piles]", page),
    ...piles.map(([name, cards]) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            class: "button button-small",
            "aria-pressed": String(name === pile),
            "data-key": name,
            onclick: () => {
              pile = name;
              drawCards();
            },
          },
          pileName(name),
        ),
        el(
          "div",
          { class: "setup-cards" },
          ...cards.map((card, at) =>
            el(
              card.endsWith("*") ? "button.is-dark" : "button",
              {
                type: "button",
                title: t("Take away: {card}", { card: cardName(card) }),
                "data-key": `${name} ${at}`,
                onclick: () => {
                  cards.splice(at, 1);
                  drawCards();
                },
              },
              symbolIcon(card, "symbol"),
              el("span", { class: "hidden" }, t("Take away: {card}", { card: cardName(card) })),
            ),
          ),
        ),
      ),
    ),
  );
}

const drawBoards = () => keepFocus(find("[data-boards]", page), drawSpaces);

/** Draw a choice for every space. Each board has every symbol once, so choosing one swaps two spaces. */
function drawSpaces() {
  const names = SYMBOLS[view.options.symbols];
  /** @param {number} at */
  const field = (at) => {
    const select = el(
      "select",
      { "aria-label": t("space {n}", { n: at + 1 }), "data-key": at },
      ...names.map((name) =>
        el("option", { value: name, selected: view.board[at] === name }, cardName(name)),
      ),
    );
    select.addEventListener("change", () => {
      const first = at - (at % BOARD_LENGTH);
      const other = view.board.indexOf(select.value, first);
      view.board[other] = view.board[at];
      view.board[at] = select.value;
      drawBoards();
      draw();
    });
    return select;
  };
  const rows = [];
  for (let first = 0; first < view.board.length; first += BOARD_LENGTH)
    rows.push(el("p", {}, ...names.map((_, at) => field(first + at))));
  setChildren(find("[data-boards]", page), ...rows);
}

find("[data-edition]", page).addEventListener("submit", (event) => {
  event.preventDefault();
  const fields = namedFields(find("[data-edition]", page));
  load({ options: { preset: fields.preset.value, players: Number(fields.players.value) } });
});
find("[data-analyse]", page).addEventListener("click", async () => {
  view.turn = { seat: Number(turnSelect.value), taken: Number(takenSelect.value), captain_used: false };
  view.forced_passes = 0;
  if (view.sloop !== null) view.sloop = /** @type {Haven} */ (sloopSelect.value);
  try {
    const { start } = await postUrl("/analysis/play", { view });
    location.assign(`/analysis?p=${encodeURIComponent(start)}`);
  } catch (problem) {
    fail(problem);
  }
});

const code = new URLSearchParams(location.search).get("p");
load(code ? { code } : { options: { preset: "tortuga", players: 2 } });
