/** Images of known size, cut to the bytes that contain it. */

export function png(width: number, height: number): Buffer {
  const file = Buffer.alloc(64);
  file.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  file.writeUInt32BE(13, 8);
  file.write('IHDR', 12);
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  file.set([8, 2], 24);
  return file;
}

/** `before`: sizes of segments before the frame header, such as a colour profile. */
export function jpeg(width: number, height: number, before: readonly number[] = []): Buffer {
  const segment = (marker: number, bytes: number): Buffer => {
    const made = Buffer.alloc(bytes + 2);
    made.set([0xff, marker]);
    made.writeUInt16BE(bytes, 2);
    return made;
  };
  const frame = segment(0xc0, 17);
  frame[4] = 8;
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const start = Buffer.from([0xff, 0xd8]);
  return Buffer.concat([start, segment(0xe0, 16), ...before.map((bytes) => segment(0xe2, bytes)), frame, start]);
}

export function webp(width: number, height: number): Buffer {
  const file = Buffer.alloc(40);
  file.write('RIFF', 0);
  file.writeUInt32LE(32, 4);
  file.write('WEBPVP8X', 8);
  file.writeUInt32LE(10, 16);
  file.writeUIntLE(width - 1, 24, 3);
  file.writeUIntLE(height - 1, 27, 3);
  return file;
}

export function gif(width: number, height: number): Buffer {
  const file = Buffer.alloc(32);
  file.write('GIF89a', 0);
  file.writeUInt16LE(width, 6);
  file.writeUInt16LE(height, 8);
  return file;
}

export function dataUrl(bytes: Uint8Array, type = 'image/png'): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}
