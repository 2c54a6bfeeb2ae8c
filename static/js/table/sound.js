// Sounds, synthesised: a wooden step, paper, a bell, a wave. Silent until the person asks for them.

import { pref } from "./preferences.js";

let context = null;

function ready() {
  if (!pref("sound")) return null;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
    return context;
  } catch {
    return null; // no sound device: the game goes on without
  }
}

function tone(audio, { at = 0, from, to = from, length, gain = 0.12, shape = "triangle" }) {
  const start = audio.currentTime + at;
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  oscillator.type = shape;
  oscillator.frequency.setValueAtTime(from, start);
  oscillator.frequency.exponentialRampToValueAtTime(to, start + length);
  volume.gain.setValueAtTime(gain, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

function noise(audio, { at = 0, length, gain = 0.1, low = 800, high = 4000 }) {
  const start = audio.currentTime + at;
  const buffer = audio.createBuffer(1, audio.sampleRate * length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i += 1) samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length);
  const source = audio.createBufferSource();
  const filter = audio.createBiquadFilter();
  const volume = audio.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.setValueAtTime(high, start);
  filter.frequency.exponentialRampToValueAtTime(low, start + length);
  volume.gain.value = gain;
  source.connect(filter).connect(volume).connect(audio.destination);
  source.start(start);
}

const sounds = {
  step: (audio) =>
    [0, 0.11, 0.22].forEach((at) => tone(audio, { at, from: 190, to: 90, length: 0.08, shape: "sine", gain: 0.2 })),
  card: (audio) => noise(audio, { length: 0.14, low: 1200, high: 5200, gain: 0.14 }),
  turn: (audio) =>
    [
      [660, 0],
      [880, 0.16],
    ].forEach(([from, at]) => tone(audio, { at, from, to: from * 0.995, length: 0.7, gain: 0.09 })),
  sail: (audio) => noise(audio, { length: 0.9, low: 260, high: 900, gain: 0.25 }),
  refuse: (audio) => tone(audio, { from: 150, to: 110, length: 0.22, shape: "sawtooth", gain: 0.06 }),
  // a fanfare in brass: three calls and a held chord, with a cheer under it
  win: (audio) => {
    const call = (from, at, length) => tone(audio, { at, from, length, shape: "sawtooth", gain: 0.05 });
    [523, 523, 523].forEach((from, i) => call(from, i * 0.13, 0.12));
    [659, 784].forEach((from, i) => call(from, 0.42 + i * 0.22, 0.2));
    [523, 659, 784, 1047].forEach((from) => call(from, 0.9, 1.3));
    [0.95, 1.2, 1.5].forEach((at, i) => noise(audio, { at, length: 0.7, low: 500 + 120 * i, high: 1500, gain: 0.07 }));
  },
  // somebody else has won: three soft notes that come to rest
  lose: (audio) =>
    [392, 349, 330].forEach((from, i) => tone(audio, { at: i * 0.3, from, length: 0.8, shape: "sine", gain: 0.1 })),
};

export function sound(name) {
  const audio = ready();
  if (audio) sounds[name](audio);
}

/** The sound of what happened, as the person on `seat` hears it; null for whoever watches. */
export function soundOf(events, seat = null) {
  const types = new Set(events.map(({ type }) => type));
  const won = events.find(({ type }) => type === "game_won");
  if (won) sound(seat === null || won.seat === seat ? "win" : "lose");
  else if (types.has("sailed")) sound("sail");
  else if (
    ["advanced", "retreated", "morgan_moved", "parrot_advanced", "hook_advanced"].some((type) => types.has(type))
  )
    sound("step");
  else if (types.has("cards_drawn") || types.has("cards_discarded")) sound("card");
}
