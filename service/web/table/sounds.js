// Short sounds made in the browser, and vibration; both can be switched off.

import { settings } from "./local_storage.js";

// Frequency in hertz, start and length in seconds.
const SOUNDS = {
  tile: [[220, 0, 0.05]],
  points: [[660, 0, 0.07]],
  turn: [[523, 0, 0.12], [784, 0.12, 0.2]],
  qwirkle: [[523, 0, 0.5], [659, 0.08, 0.5], [784, 0.16, 0.5], [1047, 0.24, 0.6]],
  end: [[392, 0, 0.3], [523, 0.15, 0.3], [659, 0.3, 0.5]],
  refused: [[150, 0, 0.12]],
}; // prettier-ignore
const VOLUME = 0.08;

let audio = null;

// Browsers allow sound only after the user has touched the page.
addEventListener("pointerdown", () => audio?.resume(), { passive: true });

/** Plays a sound, unless sounds are off or the user has not touched the page yet. */
export function play(name) {
  if (settings().sound === false || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  for (const [frequency, start, length] of SOUNDS[name]) tone(frequency, start, length);
}

function tone(frequency, start, length) {
  const at = audio.currentTime + start;
  const oscillator = new OscillatorNode(audio, { type: "triangle", frequency });
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.linearRampToValueAtTime(VOLUME, at + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

/** Vibrates, unless vibration is off or the user has not touched the page yet. */
export function vibrate(pattern) {
  if (settings().vibration === false || !navigator.userActivation?.hasBeenActive) return;
  navigator.vibrate?.(pattern);
}
