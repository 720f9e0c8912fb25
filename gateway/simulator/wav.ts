/** Samples a second of what is spoken: 16 bits, one channel. */
export const RATE = 24_000;
const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;
const LOUDNESS = 6_000;

/** A sine tone of that length as bare samples. */
export function pcm(seconds: number, hertz: number): Buffer {
  const samples = Math.round(seconds * RATE);
  const data = Buffer.alloc(samples * SAMPLE_BYTES);
  for (let at = 0; at < samples; at++) {
    data.writeInt16LE(Math.round(LOUDNESS * Math.sin((2 * Math.PI * hertz * at) / RATE)), at * SAMPLE_BYTES);
  }
  return data;
}

/** The same as a WAV file. */
export function wav(samples: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
