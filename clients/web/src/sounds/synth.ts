// The eight sounds of the table, made of tones and noise. Loaded when sounds are switched on.

import type { Sound } from "./sounds.ts";

/** Begin and length in seconds, pitch in hertz (noise: of its filter), loudness from 0 to 1, and the shape of the wave. */
type Note = readonly [from: number, lasts: number, pitch: number, loud: number, wave?: OscillatorType | "noise"];

const NOTES: Readonly<Record<Sound, readonly Note[]>> = {
  turn: [
    [0, 0.5, 659, 0.25],
    [0.12, 0.7, 880, 0.25],
  ],
  card: [
    [0, 0.07, 2600, 0.3, "noise"],
    [0.05, 0.05, 1400, 0.2, "noise"],
  ],
  place: [
    [0, 0.09, 190, 0.6, "triangle"],
    [0, 0.03, 900, 0.4, "noise"],
  ],
  gold: [
    [0, 0.16, 2093, 0.12, "triangle"],
    [0.06, 0.2, 2637, 0.12, "triangle"],
  ],
  points: [
    [0, 0.2, 523, 0.2],
    [0.09, 0.2, 659, 0.2],
    [0.18, 0.4, 784, 0.2],
  ],
  loss: [
    [0, 0.3, 233, 0.25, "triangle"],
    [0.15, 0.5, 174, 0.25, "triangle"],
  ],
  die: [0, 0.09, 0.17, 0.24, 0.34].map((from, index): Note => [from, 0.05, 1200 + 250 * index, 0.4, "noise"]),
  end: [
    [0, 0.5, 392, 0.2],
    [0.18, 0.5, 523, 0.2],
    [0.36, 0.5, 659, 0.2],
    [0.54, 1.4, 784, 0.25],
    [0.54, 1.4, 1047, 0.12],
  ],
};

const ATTACK = 0.008; // seconds until a note is at its loudest
const SILENCE = 0.0001; // a decay cannot end at 0

let context: AudioContext | undefined;

/** Play a sound; a browser may stay silent until the reader has pressed something. */
export default function play(sound: Sound): void {
  context ??= new AudioContext();
  void context.resume().catch(() => undefined);
  for (const note of NOTES[sound]) sing(context, note);
}

function sing(context: AudioContext, [from, lasts, pitch, loud, wave = "sine"]: Note): void {
  const begins = context.currentTime + from;
  const volume = context.createGain();
  volume.gain.setValueAtTime(0, begins);
  volume.gain.linearRampToValueAtTime(loud, begins + ATTACK);
  volume.gain.exponentialRampToValueAtTime(SILENCE, begins + lasts);
  volume.connect(context.destination);
  const source = wave === "noise" ? noise(context, pitch, volume) : tone(context, pitch, wave, volume);
  source.start(begins);
  source.stop(begins + lasts);
}

function tone(context: AudioContext, pitch: number, wave: OscillatorType, to: AudioNode): AudioScheduledSourceNode {
  const source = context.createOscillator();
  source.type = wave;
  source.frequency.value = pitch;
  source.connect(to);
  return source;
}

/** Noise around a pitch. */
function noise(context: AudioContext, pitch: number, to: AudioNode): AudioScheduledSourceNode {
  const source = context.createBufferSource();
  source.buffer = context.createBuffer(1, context.sampleRate / 4, context.sampleRate);
  const samples = source.buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index++) samples[index] = 2 * Math.random() - 1;
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = pitch;
  source.connect(filter).connect(to);
  return source;
}
