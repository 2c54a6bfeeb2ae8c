// Colyseus on the job ours does: hands only in their own player's view, every action on disk before its patch goes out,
// and to whoever is to act the list of choices with their consequences. argv: port, database
'use strict';
const { Server, Room } = require('@colyseus/core');
const { WebSocketTransport } = require('@colyseus/ws-transport');
const { ArraySchema, StateView, schema, t } = require('@colyseus/schema');
const { newGame, act, choices, held, ACTIONS_A_TURN } = require('../small_cartagena.cjs');
const { SqliteLog } = require('../sqlite_log.cjs');

const Player = schema({ pirates: t.array('uint8'), held: t.uint8(), hand: t.array('uint8').view() }, 'Player');
const Table = schema({
  players: t.array(Player), turn: t.uint8(), left: t.uint8(), seq: t.uint32(), deck: t.uint8(), discard: t.uint8(),
}, 'Table');
let log;

class Cartagena extends Room {
  onCreate({ players }) {
    this.maxClients = 64;
    this.patchRate = null; // no clock: a patch is sent when an action is on disk
    this.seatOf = {};
    this.clientAt = [];
    this.isTelling = false;
    this.game = newGame(players);
    this.state = new Table();
    Object.assign(this.state, { turn: 0, left: ACTIONS_A_TURN, seq: 0, deck: this.game.deck.length, discard: 0 });
    for (let seat = 0; seat < players; seat++) {
      const player = new Player();
      player.pirates = new ArraySchema(0, 0, 0, 0, 0, 0);
      player.hand = new ArraySchema(0, 0, 0, 0, 0, 0);
      this.state.players.push(player);
      this.show(seat);
    }
    log.write(this.roomId, 0, JSON.stringify({ players, hands: this.game.hands, deck: this.game.deck }));
    this.onMessage('act', (client, action) => this.play(client, action));
  }
  onJoin(client, { seat }) {
    if (!(seat < this.state.players.length)) return; // a spectator has no view and sees what all see
    this.seatOf[client.sessionId] = seat;
    this.clientAt[seat] = client;
    client.view = new StateView();
    client.view.add(this.state.players[seat]);
    if (seat === this.state.turn) this.offer();
  }
  offer() {
    this.clientAt[this.state.turn]?.send('choices', choices(this.game, this.state.turn));
  }
  show(seat) {
    const shown = this.state.players[seat], pirates = this.game.pirates[seat], hand = this.game.hands[seat];
    for (let i = 0; i < 6; i++) {
      if (shown.pirates[i] !== pirates[i]) shown.pirates[i] = pirates[i];
      if (shown.hand[i] !== hand[i]) shown.hand[i] = hand[i];
    }
    shown.held = held(hand);
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
    log.write(this.roomId, state.seq, `{"seat":${seat},"action":${action},"at":${Date.now()}}`);
    if (this.isTelling) return; // a patch with both actions
    this.isTelling = true;
    log.then(() => {
      this.isTelling = false;
      this.broadcastPatch();
      this.offer();
    });
  }
}

module.exports = { Table };
if (require.main === module) {
  log = new SqliteLog(process.argv[3]);
  const server = new Server({ transport: new WebSocketTransport({ pingInterval: 0 }), greet: false });
  server.define('cartagena', Cartagena);
  server.listen(Number(process.argv[2]));
}
