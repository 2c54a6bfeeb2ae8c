// The small Cartagena that the peers play: advance and retreat on one side, three actions a turn, open deal.
// A match follows script.json (python -m bench.peers.make_script), which was recorded from our own rules.
'use strict';
const script = require('./script.json');
const START = 0, GOAL = 37, RETREAT = 6, PER_PLACE = 7;

function newGame(players) {
  const deck = script[players].deck.slice();
  const hands = Array.from({ length: players }, (_, seat) => {
    const hand = [0, 0, 0, 0, 0, 0];
    for (const symbol of script[players].hands[seat]) hand[symbol]++;
    return hand;
  });
  const pirates = hands.map(() => [START, START, START, START, START, START]);
  return { pirates, hands, crowd: Array(GOAL + 1).fill(0), deck, discard: [], done: 0 };
}

// Plays an action in place and says which pirate moved where; null when it is not legal.
function act(game, seat, action) {
  if (!Number.isInteger(action) || action < 0) return null;
  const from = Math.floor(action / PER_PLACE), symbol = action % PER_PLACE;
  const pirate = game.pirates[seat].indexOf(from);
  if (pirate < 0 || from === GOAL) return null;
  let to;
  if (symbol === RETREAT) {
    for (to = from - 1; to > START; to--) if (game.crowd[to] === 1 || game.crowd[to] === 2) break;
    if (to <= START) return null;
  } else {
    if (!(game.hands[seat][symbol] > 0)) return null;
    for (to = from + 1; to < GOAL; to++) if (script.board[to - 1] === symbol && game.crowd[to] === 0) break;
    game.hands[seat][symbol]--;
    game.discard.push(symbol);
  }
  const met = game.crowd[to];
  if (from !== START) game.crowd[from]--;
  if (to !== GOAL) game.crowd[to]++;
  game.pirates[seat][pirate] = to;
  if (symbol === RETREAT) for (let drawn = 0; drawn < met; drawn++) game.hands[seat][game.deck.pop()]++;
  game.done++;
  return { pirate, to, isLast: game.done === script[game.hands.length].actions.length };
}

// All a seat may do, each with where its pirate lands and, for a retreat, how many cards it draws.
function choices(game, seat) {
  const { crowd } = game, pirates = game.pirates[seat], hand = game.hands[seat], listed = [];
  for (let pirate = 0; pirate < pirates.length; pirate++) {
    const from = pirates[pirate];
    if (from === GOAL || pirates.indexOf(from) < pirate) continue; // pirates at one place are alike
    for (let symbol = 0; symbol < RETREAT; symbol++) {
      if (hand[symbol] === 0) continue;
      let to = from + 1;
      while (to < GOAL && (script.board[to - 1] !== symbol || crowd[to] !== 0)) to++;
      listed.push({ action: from * PER_PLACE + symbol, to });
    }
    let to = from - 1;
    while (to > START && crowd[to] !== 1 && crowd[to] !== 2) to--;
    if (to > START) listed.push({ action: from * PER_PLACE + RETREAT, to, draws: Math.min(crowd[to], game.deck.length) });
  }
  return listed;
}

const held = (hand) => hand.reduce((all, count) => all + count, 0);

module.exports = { newGame, act, choices, held, ACTIONS_A_TURN: 3 };

if (require.main === module) {
  for (const players of [2, 4]) {
    const game = newGame(players);
    let offered = 0;
    for (const [seat, action] of script[players].actions) {
      const listed = choices(game, seat), chosen = listed.find((each) => each.action === action), before = held(game.hands[seat]);
      const done = act(game, seat, action);
      const wrong = (what) => new Error(`${players} players, action ${game.done}: ${what}`);
      if (done === null || !chosen) throw wrong('not legal');
      if (done.to !== chosen.to) throw wrong(`was to land on ${chosen.to}, not ${done.to}`);
      if (held(game.hands[seat]) - before !== (chosen.draws ?? -1)) throw wrong(`was to draw ${chosen.draws ?? 0}`);
      offered += listed.length;
    }
    console.log(`${players} players: ${game.done} actions of ${(offered / game.done).toFixed(1)} choices, ${game.deck.length} cards left`);
  }
}
