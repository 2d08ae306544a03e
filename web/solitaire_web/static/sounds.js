// Sounds, which are off unless wished: of a card that is put down, and of a win. They are made here, from no file.
let context = null;

function tone(pitch, after, length, loudness) {
  const start = context.currentTime + after, source = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const gain = new GainNode(context, { gain: loudness });
  gain.gain.setValueAtTime(loudness, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  source.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + length);
}

export function sound(won) {
  context ??= new AudioContext();
  if (won) [523, 659, 784, 1047].forEach((pitch, place) => tone(pitch, 0.12 * place, 0.5, 0.15));
  else tone(180, 0, 0.07, 0.2);
}
