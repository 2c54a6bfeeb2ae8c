// boardgame.io on the job ours does: hands hidden by `playerView`, every action on disk before its update goes out, and
// to whoever is to act the list of choices with their consequences. argv: port, database
'use strict';
const { Server, SocketIO } = require('boardgame.io/server');
const { Sync } = require('boardgame.io/internal');
const { INVALID_MOVE } = require('boardgame.io/core');
const { newGame, act, choices, held, ACTIONS_A_TURN } = require('../small_cartagena.cjs');
const { SqliteLog } = require('../sqlite_log.cjs');

function seenBy(G, playerID, isToAct) {
  const { deck, hands, ...seen } = G;
  const view = { ...seen, cardsLeft: deck.length, held: hands.map(held), hand: playerID == null ? null : hands[playerID] };
  if (isToAct) view.choices = choices(G, Number(playerID));
  return view;
}
const cartagena = {
  name: 'cartagena',
  disableUndo: true,
  setup: ({ ctx }) => newGame(ctx.numPlayers),
  turn: { minMoves: ACTIONS_A_TURN, maxMoves: ACTIONS_A_TURN },
  playerView: ({ G, ctx, playerID }) => seenBy(G, playerID, playerID === ctx.currentPlayer),
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

// Matches are held in memory; how each began and every action of it are on disk.
class Storage extends Sync {
  constructor(log) {
    super();
    this.log = log;
    this.matches = new Map();
  }
  createMatch(matchID, { initialState, metadata }) {
    this.log.write(matchID, 0, JSON.stringify(initialState));
    // A `sync` sends `initialState` past `playerView`: what it keeps for clients must be without hands and deck.
    const shown = { ...initialState, G: seenBy(initialState.G, null, false) };
    this.matches.set(matchID, { state: initialState, initialState: shown, metadata, log: [] });
  }
  setState(matchID, state, deltalog) {
    const match = this.matches.get(matchID);
    match.state = state;
    if (!deltalog || deltalog.length === 0) return;
    match.log.push(...deltalog);
    this.log.write(matchID, state._stateID, JSON.stringify(deltalog));
  }
  setMetadata(matchID, metadata) {
    this.matches.get(matchID).metadata = metadata;
  }
  fetch(matchID) {
    return this.matches.get(matchID) ?? {};
  }
  wipe(matchID) {
    this.matches.delete(matchID);
  }
  listMatches() {
    return [...this.matches.keys()];
  }
}

// The master publishes an update just before it stores it: published here means delivered once that is on disk.
class AfterTheLog {
  constructor(log) {
    this.log = log;
    this.channels = new Map();
  }
  subscribe(channel, callback) {
    if (!this.channels.has(channel)) this.channels.set(channel, []);
    this.channels.get(channel).push(callback);
  }
  publish(channel, payload) {
    this.log.then(() => this.channels.get(channel)?.forEach((callback) => callback(payload)));
  }
  unsubscribeAll(channel) {
    this.channels.delete(channel);
  }
}

const log = new SqliteLog(process.argv[3]);
const transport = new SocketIO({ pubSub: new AfterTheLog(log) });
Server({ games: [cartagena], origins: ['http://localhost'], db: new Storage(log), transport }).run({ port: Number(process.argv[2]) });
