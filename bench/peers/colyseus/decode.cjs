// What each client of the same job can see after every frame it got. stdin: frames in hex, a list for each client
'use strict';
const { Decoder } = require('@colyseus/schema');
const { unpack } = require('msgpackr');
const { Table } = require('./same_job.cjs');
const STATE = 14, MESSAGE = 13, PATCH = 15;

const views = [], choices = [];
for (const frames of JSON.parse(require('node:fs').readFileSync(0))) {
  const table = new Table(), decoder = new Decoder(table), seen = [], listed = [];
  for (const frame of frames) {
    const bytes = Buffer.from(frame, 'hex'), kind = bytes[0] & 31;
    if (kind === STATE || kind === PATCH) {
      decoder.decode(bytes, { offset: 1 });
      seen.push(table.toJSON());
    } else if (kind === MESSAGE) {
      const name = bytes[1] & 31; // a short text
      listed.push(unpack(bytes.subarray(2 + name)));
    }
  }
  views.push(seen);
  choices.push(listed);
}
require('node:fs').writeFileSync(1, JSON.stringify({ views, choices }));
process.exit(0);
