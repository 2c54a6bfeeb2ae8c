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
  win: (audio) =>
    [523, 659, 784, 1047].forEach((from, i) => tone(audio, { at: i * 0.14, from, length: 0.55, gain: 0.1 })),
};

export function sound(name) {
  const audio = ready();
  if (audio) sounds[name](audio);
}

/** The sound of what happened. */
export function soundOf(events) {
  const types = new Set(events.map(({ type }) => type));
  if (types.has("game_won")) sound("win");
  else if (types.has("sailed")) sound("sail");
  else if (
    ["advanced", "retreated", "morgan_moved", "parrot_advanced", "hook_advanced"].some((type) => types.has(type))
  )
    sound("step");
  else if (types.has("cards_drawn") || types.has("cards_discarded")) sound("card");
}
