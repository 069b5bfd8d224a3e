// Small sounds, made on the spot.

const NOTES = {
  tap: [[520, 0, 0.05, 0.05]],
  card: [[240, 0, 0.06, 0.12], [160, 0.02, 0.06, 0.1]],
  draw: [[330, 0, 0.05, 0.08]],
  turn: [[660, 0, 0.1, 0.08], [880, 0.1, 0.14, 0.08]],
  peng: [[392, 0, 0.1, 0.12], [523, 0.08, 0.14, 0.12]],
  chi: [[349, 0, 0.1, 0.1], [440, 0.08, 0.12, 0.1]],
  wei: [[294, 0, 0.12, 0.12], [440, 0.1, 0.18, 0.12]],
  pao: [[392, 0, 0.1, 0.12], [523, 0.08, 0.1, 0.12], [659, 0.16, 0.2, 0.12]],
  ti: [[392, 0, 0.1, 0.13], [587, 0.08, 0.1, 0.13], [784, 0.16, 0.24, 0.13]],
  hu: [[523, 0, 0.16, 0.14], [659, 0.12, 0.16, 0.14], [784, 0.24, 0.16, 0.14], [1047, 0.36, 0.4, 0.14]],
  lose: [[330, 0, 0.2, 0.1], [262, 0.18, 0.3, 0.1]],
  end: [[440, 0, 0.2, 0.08], [349, 0.18, 0.3, 0.08]],
  pass: [[220, 0, 0.08, 0.06]],
  landlord: [[392, 0, 0.12, 0.12], [523, 0.1, 0.12, 0.12], [659, 0.2, 0.24, 0.12]],
  bomb: [[110, 0, 0.3, 0.2], [82, 0.05, 0.4, 0.2], [55, 0.1, 0.5, 0.2]],
  rocket: [[330, 0, 0.12, 0.12], [494, 0.1, 0.12, 0.12], [740, 0.2, 0.12, 0.12], [110, 0.34, 0.5, 0.2]],
  alarm: [[880, 0, 0.09, 0.1], [880, 0.16, 0.09, 0.1]],
  tick: [[1200, 0, 0.03, 0.05]],
};

/** Plays notes by name, once the browser allows it (after the first touch). */
export class Sound {
  constructor(isOn) {
    this.isOn = isOn;
    this.context = null;
  }

  /** Called at a touch or click: browsers allow sound only then. */
  wake() {
    if (!this.isOn() || this.context) return;
    const Context = globalThis.AudioContext;
    if (Context) this.context = new Context();
  }

  play(name) {
    const notes = NOTES[name];
    if (!notes || !this.isOn() || !this.context) return;
    if (this.context.state === "suspended") this.context.resume();
    const start = this.context.currentTime + 0.01;
    for (const [pitch, at, length, loudness] of notes) {
      const tone = this.context.createOscillator();
      const gain = this.context.createGain();
      tone.type = "triangle";
      tone.frequency.value = pitch;
      gain.gain.setValueAtTime(0, start + at);
      gain.gain.linearRampToValueAtTime(loudness, start + at + 0.01);
      gain.gain.exponentialRampToValueAtTime(0.0001, start + at + length);
      tone.connect(gain).connect(this.context.destination);
      tone.start(start + at);
      tone.stop(start + at + length + 0.05);
    }
  }
}
