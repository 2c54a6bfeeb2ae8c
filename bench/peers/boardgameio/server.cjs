// boardgame.io in memory. argv: port
'use strict';
const { Server } = require('boardgame.io/server');
const { INVALID_MOVE } = require('boardgame.io/core');
const { newGame, act, ACTIONS_A_TURN } = require('../small_cartagena.cjs');

const sum = (counts) => counts.reduce((all, count) => all + count, 0);
const cartagena = {
  name: 'cartagena',
  disableUndo: true,
  setup: ({ ctx }) => newGame(ctx.numPlayers),
  turn: { minMoves: ACTIONS_A_TURN, maxMoves: ACTIONS_A_TURN },
  playerView: ({ G, playerID }) => {
    const { deck, hands, ...seen } = G;
    return { ...seen, cardsLeft: deck.length, held: hands.map(sum), hand: playerID == null ? null : hands[playerID] };
  },
  moves: {
    act: {
      client: false,
      move: ({ G, ctx, playerID }, action) => {
        const done = act(G, Number(playerID), action);
        if (done === null) return INVALID_MOVE;
        if (done.isLast) Object.assign(G, newGame(ctx.numPlayers));
      },
    },
  },
};
Server({ games: [cartagena], origins: ['http://localhost'] }).run({ port: Number(process.argv[2]) });
