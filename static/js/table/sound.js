// Synthesised sounds: steps, cards, a bell, waves. Off until the player switches them on.

/** @import {GameEvent} from "../core/types.d.ts" */

import { pref } from "./preferences.js";

let context = null;

function getAudio() {
  if (!pref("sound")) return null;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
    return context;
  } catch {
    // No audio device.
    return null;
  }
}

/**
 * @param {AudioContext} audio
 * @param {{ at?: number, from: number, to?: number, length: number, gain?: number, shape?: OscillatorType }} options
 */
function playTone(audio, { at = 0, from, to = from, length, gain = 0.12, shape = "triangle" }) {
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

/**
 * @param {AudioContext} audio
 * @param {{ at?: number, length: number, gain?: number, low?: number, high?: number }} options
 */
function playNoise(audio, { at = 0, length, gain = 0.1, low = 800, high = 4000 }) {
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
  /** @param {AudioContext} audio */
  step: (audio) =>
    [0, 0.11, 0.22].forEach((at) =>
      playTone(audio, { at, from: 190, to: 90, length: 0.08, shape: "sine", gain: 0.2 }),
    ),
  /** @param {AudioContext} audio */
  card: (audio) => playNoise(audio, { length: 0.14, low: 1200, high: 5200, gain: 0.14 }),
  /** @param {AudioContext} audio */
  turn: (audio) =>
    [
      [660, 0],
      [880, 0.16],
    ].forEach(([from, at]) => playTone(audio, { at, from, to: from * 0.995, length: 0.7, gain: 0.09 })),
  /** @param {AudioContext} audio */
  sail: (audio) => playNoise(audio, { length: 0.9, low: 260, high: 900, gain: 0.25 }),
  /** @param {AudioContext} audio */
  refuse: (audio) => playTone(audio, { from: 150, to: 110, length: 0.22, shape: "sawtooth", gain: 0.06 }),
  // A fanfare: three calls and a held chord over a cheer.
  /** @param {AudioContext} audio */
  win: (audio) => {
    /**
     * @param {number} from
     * @param {number} at
     * @param {number} length
     */
    const call = (from, at, length) => playTone(audio, { at, from, length, shape: "sawtooth", gain: 0.05 });
    [523, 523, 523].forEach((from, i) => call(from, i * 0.13, 0.12));
    [659, 784].forEach((from, i) => call(from, 0.42 + i * 0.22, 0.2));
    [523, 659, 784, 1047].forEach((from) => call(from, 0.9, 1.3));
    [0.95, 1.2, 1.5].forEach((at, i) =>
      playNoise(audio, { at, length: 0.7, low: 500 + 120 * i, high: 1500, gain: 0.07 }),
    );
  },
  // Three soft notes.
  /** @param {AudioContext} audio */
  lose: (audio) =>
    [392, 349, 330].forEach((from, i) =>
      playTone(audio, { at: i * 0.3, from, length: 0.8, shape: "sine", gain: 0.1 }),
    ),
};

/** @param {keyof typeof sounds} name */
export function playSound(name) {
  const audio = getAudio();
  if (audio) sounds[name](audio);
}

/**
 * Play the sound of the events for the player on `seat`, or for a spectator (null).
 * @param {GameEvent[]} events
 * @param {number | null} [seat]
 */
export function playSoundOf(events, seat = null) {
  /** @type {Set<string>} */
  const types = new Set(events.map(({ type }) => type));
  const won = events.find(({ type }) => type === "game_won");
  if (won) playSound(seat === null || won.seat === seat ? "win" : "lose");
  else if (types.has("sailed")) playSound("sail");
  else if (
    ["advanced", "retreated", "morgan_moved", "parrot_advanced", "hook_advanced"].some((type) =>
      types.has(type),
    )
  )
    playSound("step");
  else if (types.has("cards_drawn") || types.has("cards_discarded")) playSound("card");
}
