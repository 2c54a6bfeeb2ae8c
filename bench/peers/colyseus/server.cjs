// Colyseus in memory, a patch to everybody after every action; it hides nothing. argv: port
'use strict';
const { Server, Room } = require('@colyseus/core');
const { WebSocketTransport } = require('@colyseus/ws-transport');
const { Schema, ArraySchema, defineTypes } = require('@colyseus/schema');
const { newGame, act, ACTIONS_A_TURN } = require('../small_cartagena.cjs');

class Player extends Schema {}
defineTypes(Player, { pirates: ['uint8'], hand: ['uint8'] });
class Table extends Schema {}
defineTypes(Table, { players: [Player], turn: 'uint8', left: 'uint8', seq: 'uint32', deck: 'uint8', discard: 'uint8' });

class Cartagena extends Room {
  onCreate({ players }) {
    this.maxClients = 64;
    this.patchRate = null; // no clock: a patch is sent when an action was played
    this.seatOf = {};
    this.game = newGame(players);
    this.state = new Table();
    Object.assign(this.state, { players: new ArraySchema(), turn: 0, left: ACTIONS_A_TURN, seq: 0 });
    for (let seat = 0; seat < players; seat++) {
      const player = new Player();
      player.pirates = new ArraySchema(0, 0, 0, 0, 0, 0);
      player.hand = new ArraySchema(0, 0, 0, 0, 0, 0);
      this.state.players.push(player);
      this.show(seat);
    }
    this.onMessage('act', (client, action) => this.play(client, action));
  }
  onJoin(client, { seat }) {
    this.seatOf[client.sessionId] = seat;
  }
  show(seat) {
    const shown = this.state.players[seat];
    for (let i = 0; i < 6; i++) {
      if (shown.pirates[i] !== this.game.pirates[seat][i]) shown.pirates[i] = this.game.pirates[seat][i];
      if (shown.hand[i] !== this.game.hands[seat][i]) shown.hand[i] = this.game.hands[seat][i];
    }
  }
  play(client, action) {
    const seat = this.seatOf[client.sessionId], { state } = this;
    if (seat !== state.turn) return client.send('refused', 'turn');
    const done = act(this.game, seat, action);
    if (done === null) return client.send('refused', 'illegal');
    if (done.isLast) {
      this.game = newGame(state.players.length);
      for (let each = 0; each < state.players.length; each++) this.show(each);
    } else this.show(seat);
    state.deck = this.game.deck.length;
    state.discard = this.game.discard.length;
    state.seq++;
    if (--state.left === 0) {
      state.left = ACTIONS_A_TURN;
      state.turn = (seat + 1) % state.players.length;
    }
    this.broadcastPatch();
  }
}
const server = new Server({ transport: new WebSocketTransport({ pingInterval: 0 }), greet: false });
server.define('cartagena', Cartagena);
server.listen(Number(process.argv[2]));
