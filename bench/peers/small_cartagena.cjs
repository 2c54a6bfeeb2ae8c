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

module.exports = { newGame, act, ACTIONS_A_TURN: 3 };

if (require.main === module) {
  for (const players of [2, 4]) {
    const game = newGame(players);
    for (const [seat, action] of script[players].actions)
      if (act(game, seat, action) === null) throw new Error(`${players} players, action ${game.done}: not legal`);
    console.log(players, 'players:', game.done, 'actions,', game.deck.length, 'cards left');
  }
}
