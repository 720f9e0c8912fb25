/** Silent speech of known length in every format that can be requested, written byte by byte. */

export function wav(seconds: number, options: { rate?: number; streamed?: boolean } = {}): Buffer {
  const { rate = 24_000, streamed = false } = options;
  const bytes = Math.round(seconds * rate) * 2;
  const file = Buffer.alloc(44 + bytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(streamed ? 0xffffffff : 36 + bytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(streamed ? 0xffffffff : bytes, 40);
  return file;
}

/** Frames of 1,152 samples at 44,100 Hz, of 128 kbit/s each or alternating between two rates. */
export function mp3(frames: number, rates: readonly [index: number, kbit: number][] = [[9, 128]]): Buffer {
  return Buffer.concat(
    Array.from({ length: frames }, (_, at) => {
      const [index, kbit] = rates[at % rates.length] as [number, number];
      const frame = Buffer.alloc(Math.floor((144 * kbit * 1_000) / 44_100));
      frame.set([0xff, 0xfb, index << 4, 0xc0]);
      return frame;
    }),
  );
}

/** Frames of 1,024 samples at 24,000 Hz. */
export function aac(frames: number, frameBytes = 200): Buffer {
  const frame = Buffer.alloc(frameBytes);
  frame.set([0xff, 0xf1, (1 << 6) | (6 << 2), (1 << 6) | (frameBytes >> 11)]);
  frame.set([(frameBytes >> 3) & 0xff, ((frameBytes & 7) << 5) | 0x1f, 0xfc], 4);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

export function flac(samples: number, rate = 44_100): Buffer {
  const file = Buffer.alloc(4_138);
  file.write('fLaC', 0);
  file[4] = 0x80;
  file.writeUIntBE(34, 5, 3);
  file.writeUInt16BE(4_096, 8);
  file.writeUInt16BE(4_096, 10);
  file.writeBigUInt64BE((BigInt(rate) << 44n) | (15n << 36n) | BigInt(samples), 18);
  return file;
}

/** Pages of one second each. */
export function opus(seconds: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0);
  head.set([1, 1], 8);
  head.writeUInt16LE(312, 10);
  head.writeUInt32LE(24_000, 12);
  const pages = [oggPage(0, 0, 2, head), oggPage(1, 0, 0, Buffer.from('OpusTags\0\0\0\0\0\0\0\0'))];
  for (let at = 1; at <= seconds; at++) {
    pages.push(oggPage(at + 1, at * 48_000 + 312, at === seconds ? 4 : 0, Buffer.alloc(3_000)));
  }
  return Buffer.concat(pages);
}

function oggPage(sequence: number, granule: number, type: number, payload: Buffer): Buffer {
  const segments = [...Array.from({ length: Math.floor(payload.length / 255) }, () => 255), payload.length % 255];
  const head = Buffer.alloc(27 + segments.length);
  head.write('OggS', 0);
  head[5] = type;
  head.writeBigUInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(sequence, 18);
  head[26] = segments.length;
  head.set(segments, 27);
  return Buffer.concat([head, payload]);
}
