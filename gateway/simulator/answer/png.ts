import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const RGB = 2;
/** Larger pictures than anybody asks about the colours of. */
const INFLATED_MAX = 1024 * 1024;
/** By the bright ones of red, green and blue. */
const NAMES: Readonly<Record<string, string>> = { '100': 'red', '010': 'green', '001': 'blue', '110': 'yellow' };

/** A complete PNG of that size: a gradient whose tint depends on `seed`, so that two pictures differ. */
export function png(width: number, height: number, seed: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, RGB, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    const row = y * (1 + width * 3) + 1;
    for (let x = 0; x < width; x++) {
      rows[row + x * 3] = (x * 255) / width;
      rows[row + x * 3 + 1] = (y * 255) / height;
      rows[row + x * 3 + 2] = (seed * 37) % 256;
    }
  }
  const data = deflateSync(rows, { level: 1 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** The names of the first and last colour of the first row. Reads PNGs as written here: one data chunk, no filter. */
export function cornerColours(bytes: Buffer): readonly [left: string, right: string] {
  try {
    const width = bytes.readUInt32BE(16);
    const at = bytes.indexOf('IDAT', 0, 'latin1');
    const row = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)), {
      maxOutputLength: INFLATED_MAX,
    });
    return [colour(row, 1), colour(row, 1 + 3 * (width - 1))];
  } catch {
    return ['unknown', 'unknown'];
  }
}

function colour(row: Buffer, at: number): string {
  const bright = [row[at], row[at + 1], row[at + 2]].map((part) => ((part ?? 0) > 127 ? 1 : 0)).join('');
  return NAMES[bright] ?? 'grey';
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
