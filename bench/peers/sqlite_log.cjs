// A log on disk for the peers: what was logged in one turn of the loop shares a commit, and what waits for it goes out after.
'use strict';
const { DatabaseSync } = require('node:sqlite');

class SqliteLog {
  constructor(file) {
    this.database = new DatabaseSync(file);
    this.database.exec(
      'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;' +
      'CREATE TABLE log (room TEXT, seq INTEGER, entry TEXT NOT NULL, PRIMARY KEY (room, seq)) WITHOUT ROWID');
    this.begin = this.database.prepare('BEGIN IMMEDIATE');
    this.insert = this.database.prepare('INSERT INTO log (room, seq, entry) VALUES (?, ?, ?)');
    this.commit = this.database.prepare('COMMIT');
    this.rows = [];
    this.waiting = [];
    this.isDue = false;
  }
  write(room, seq, entry) {
    this.rows.push([room, seq, entry]);
    this.flushSoon();
  }
  // Calls back when everything written so far is on disk.
  then(callback) {
    this.waiting.push(callback);
    this.flushSoon();
  }
  flushSoon() {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.flush()); // after the messages that came with this one
  }
  // An error here ends the process: what is not on disk was told to nobody.
  flush() {
    const { rows, waiting } = this;
    this.rows = [];
    this.waiting = [];
    this.isDue = false;
    if (rows.length > 0) {
      this.begin.run();
      for (const [room, seq, entry] of rows) this.insert.run(room, seq, entry);
      this.commit.run();
    }
    for (const callback of waiting) callback();
  }
}

module.exports = { SqliteLog };
